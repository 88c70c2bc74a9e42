"""What holds of the sources, each of which is parsed once: callers, late imports, private names, screens and panes."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import pytest

from support.private import is_private

ROOT = Path(__file__).parents[2]
HEADING = "| Imported late | When |"
GATHERED = "tui/private_names.py"
HOOKS = re.compile(r"(on|action|watch|compute|validate|visit|depart|render|get|check|convert)_\w+|compose|render|main")
"""Names by which Textual, markdownify and the like call methods."""

PLAIN_DECORATORS = {
    *("property", "cached_property", "cache", "staticmethod", "classmethod", "abstractmethod"),
    *("contextmanager", "asynccontextmanager", "overload"),
}
"""Decorators under which a function still needs a caller."""

CALLED_BY_LIBRARIES = {
    "handleError",  # logging
    "field_title_should_be_set",  # pydantic, of a generator of JSON schemas
    "model_post_init",  # pydantic
    "selection_updated",  # Textual, of a widget whose text is marked
}


N = TypeVar("N", bound=ast.AST)


class Sources:
    """The nodes of modules by kind, each with the name of its module."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._nodes: defaultdict[type[ast.AST], list[tuple[str, ast.AST]]] = defaultdict(list)
        for name, text in texts.items():
            for node in ast.walk(ast.parse(text)):
                self._nodes[type(node)].append((name, node))

    def of(self, *kinds: type[N]) -> Iterator[tuple[str, N]]:
        """Yield the nodes of some kinds, with their modules."""
        for kind in kinds:
            for name, node in self._nodes[kind]:
                assert isinstance(node, kind)
                yield name, node

    def functions(self) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
        """Yield all functions and methods, with their modules."""
        yield from self.of(ast.FunctionDef)
        yield from self.of(ast.AsyncFunctionDef)


@pytest.fixture(scope="module")
def sources() -> Sources:
    """Read the modules of the program, each named by its path below the package."""
    folder = ROOT / "src/recto"
    return Sources({str(file.relative_to(folder)): file.read_text("utf-8") for file in sorted(folder.rglob("*.py"))})


def public_functions(sources: Sources) -> Iterator[tuple[str, str]]:
    """Yield the functions and methods that others may call, with their modules; what registers one calls it."""
    for file, node in sources.functions():
        plain = all(isinstance(one, ast.Name) and one.id in PLAIN_DECORATORS for one in node.decorator_list)
        if plain and not node.name.startswith("_") and not HOOKS.fullmatch(node.name):
            yield file, node.name


def names_used(sources: Sources) -> set[str]:
    """Return the names that code speaks of; a definition or an import alone is no use."""
    texts = (node.value for _, node in sources.of(ast.Constant) if isinstance(node.value, str))
    return {
        *(node.id for _, node in sources.of(ast.Name) if isinstance(node.ctx, ast.Load)),
        *(node.attr for _, node in sources.of(ast.Attribute) if isinstance(node.ctx, ast.Load)),
        *(text for text in texts if text.isidentifier()),
    }


def test_each_public_function_has_a_caller(sources: Sources) -> None:
    used = names_used(sources) | CALLED_BY_LIBRARIES
    assert {f"{file}: {name}" for file, name in public_functions(sources) if name not in used} == set()


def constants(sources: Sources) -> Iterator[tuple[str, str]]:
    """Yield the names that modules give to values, with their modules."""
    for file, module in sources.of(ast.Module):
        for node in module.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from ((file, target.id) for target in targets if isinstance(target, ast.Name))


def test_each_constant_and_each_private_function_of_a_module_is_used(sources: Sources) -> None:
    used = names_used(sources) | {"__all__"}
    plain = (
        (file, node.name)
        for file, module in sources.of(ast.Module)
        for node in module.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("_")
        and not node.decorator_list
    )
    assert {f"{file}: {name}" for file, name in (*constants(sources), *plain) if name not in used} == set()


def test_a_function_that_only_defines_imports_or_mentions_itself_is_unused() -> None:
    source = """
    from module import dead
    def dead(): "dead is what this is"
    def alive(): pass
    @property
    def read(self): return alive()
    @handler
    def registered(): pass
    """
    sources = Sources({"m": textwrap.dedent(source)})
    assert {name for _, name in public_functions(sources)} - names_used(sources) == {"dead", "read"}


def gates() -> set[str]:
    """Read the names in the first column of the table."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").partition(HEADING)[2].split("\n\n")[0].splitlines()
    rows = [line.split("|")[1] for line in lines if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def late_imports(sources: Sources) -> Iterator[tuple[str, int, set[str]]]:
    """Yield the module and line of each import inside a function, with the names that it may be of."""
    functions: defaultdict[str, list[range]] = defaultdict(list)
    for file, function in sources.functions():
        functions[file].append(range(function.lineno, (function.end_lineno or function.lineno) + 1))
    imports = [(file, node.lineno, {each.name}) for file, node in sources.of(ast.Import) for each in node.names]
    for file, node in sources.of(ast.ImportFrom):
        module = node.module or ""
        imports += [(file, node.lineno, {module, f"{module}.{each.name}"}) for each in node.names]
    yield from (one for one in imports if any(one[1] in lines for lines in functions[one[0]]))


def is_below(name: str, gate: str) -> bool:
    return name == gate or name.startswith(f"{gate}.")


def test_only_what_the_readme_names_is_imported_late(sources: Sources) -> None:
    known = gates()
    assert len(known) > 20
    used: set[str] = set()
    strangers = []
    for file, line, names in late_imports(sources):
        through = {gate for gate in known if any(is_below(name, gate) for name in names)}
        used |= through
        if not through:
            strangers.append(f"{file}:{line} {max(names)}")
    assert strangers == []
    assert known - used == set()


def test_an_import_inside_a_function_is_seen() -> None:
    source = "import a\ndef f():\n    import b\n    async def g():\n        from c.d import e\n"
    found = late_imports(Sources({"m": source}))
    assert {name for _, _, names in found for name in names} == {"b", "c.d", "c.d.e"}


class Imports:
    """What modules import at their top, and late, each under its own name; what only type checkers read is left out."""

    def __init__(self, sources: Sources) -> None:
        self.early: dict[str, set[str]] = {}
        self.late: list[tuple[str, int, str]] = []
        modules = {name_of(file): tree for file, tree in sources.of(ast.Module)}
        for module, tree in modules.items():
            self.early[module] = set()
            self._read(module, tree, modules.keys(), late=False)

    def _read(self, module: str, node: ast.AST, known: Collection[str], *, late: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                found = imported_by(child, known)
                if late:
                    self.late += [(module, child.lineno, name) for name in found]
                else:
                    self.early[module].update(found)
            elif not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
                is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                self._read(module, child, known, late=late or is_function)

    def loaded_with(self, module: str) -> set[str]:
        """Return the modules that are loaded once a module is, with the packages around them."""
        loaded: set[str] = set()
        ahead = [module]
        while ahead:
            if (name := ahead.pop()) and name not in loaded:
                loaded.add(name)
                ahead += [name.rpartition(".")[0], *self.early.get(name, ())]
        return loaded


def name_of(file: str) -> str:
    """Return the name of a module of the program."""
    return ".".join(("recto", *Path(file).with_suffix("").parts)).removesuffix(".__init__")


def imported_by(node: ast.Import | ast.ImportFrom, known: Collection[str]) -> list[str]:
    """Return the modules that an import is of, the ``known`` ones by their own names."""
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    names = [f"{node.module}.{each.name}" for each in node.names]
    return [name if name in known else str(node.module) for name in names]


def needless(imports: Imports) -> list[str]:
    """Return the late imports of what is loaded anyway, with the module that imports it."""
    loaded = {module: imports.loaded_with(module) for module, _, _ in imports.late}
    return [f"{module}:{line} {name}" for module, line, name in imports.late if name in loaded[module]]


def test_nothing_is_imported_late_that_is_loaded_anyway(sources: Sources) -> None:
    imports = Imports(sources)
    assert len(imports.late) > 100
    assert needless(imports) == []


def test_a_late_import_of_what_is_loaded_is_seen() -> None:
    late = "import recto.b\ndef f():\n    from recto.c import one\n    from recto.d import two\n    import json\n"
    early = "from typing import TYPE_CHECKING\nfrom recto import c\nif TYPE_CHECKING:\n    import recto.d\n"
    texts = {"a.py": late, "b.py": early, "c.py": "import json\n", "d.py": ""}
    assert needless(Imports(Sources(texts))) == ["recto.a:3 recto.c", "recto.a:5 json"]


def own_names(sources: Sources) -> set[str]:
    """Return the names that the program itself gives to something."""
    found = {(file, node.name) for file, node in sources.functions()}
    found |= {(file, node.name) for file, node in sources.of(ast.ClassDef)}
    found |= {(file, node.attr) for file, node in sources.of(ast.Attribute) if isinstance(node.ctx, ast.Store)}
    found |= {(file, node.id) for file, node in sources.of(ast.Name) if isinstance(node.ctx, ast.Store)}
    # Slots are texts.
    found |= {(file, node.value) for file, node in sources.of(ast.Constant) if isinstance(node.value, str)}
    return {name for file, name in found if file != GATHERED}


def test_private_names_of_libraries_are_used_in_one_module_alone(sources: Sources) -> None:
    own = own_names(sources)
    named = [(file, node.lineno, [node.attr]) for file, node in sources.of(ast.Attribute) if node.attr not in own]
    for file, node in sources.of(ast.ImportFrom):
        module = node.module or ""
        if not module.startswith("recto"):
            named.append((file, node.lineno, [*module.split("."), *(each.name for each in node.names)]))
    for file, imported in sources.of(ast.Import):
        named.append((file, imported.lineno, [part for each in imported.names for part in each.name.split(".")]))
    assert [
        f"{file}:{line} {name}"
        for file, line, names in named
        for name in names
        if file != GATHERED and is_private(name)
    ] == []


def test_no_part_has_two_modules_of_one_name(sources: Sources) -> None:
    """A subject has a module in each part that deals with it; within a part, a name says which module it is."""
    seen: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for file, _ in sources.of(ast.Module):
        part, name = Path(file).parts[0], Path(file).stem
        seen[part, name].append(file)
    assert [files for (_, name), files in seen.items() if len(files) > 1 and not name.startswith("__")] == []


def test_no_part_has_two_public_classes_of_one_name(sources: Sources) -> None:
    seen: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for file, module in sources.of(ast.Module):
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                seen[Path(file).parts[0], node.name].append(file)
    assert [(name, files) for (_, name), files in seen.items() if len(files) > 1] == []


def test_nothing_is_put_into_the_modules_of_python(sources: Sources) -> None:
    changed: list[tuple[str, ast.Attribute | ast.Subscript]] = [
        *(one for one in sources.of(ast.Attribute) if one[1].attr in ("setdefault", "update", "pop")),
        *(one for one in sources.of(ast.Subscript) if isinstance(one[1].ctx, ast.Store | ast.Del)),
    ]
    found = [f"{file}:{node.lineno}" for file, node in changed if ast.unparse(node.value) == "sys.modules"]
    assert found == []


def says_nothing(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method does nothing: it has a docstring alone, or returns nothing, yes, no or something empty."""
    lines = [line for line in method.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
    match lines:
        case [] | [ast.Pass()] | [ast.Return(value=None)]:
            return True
        case [ast.Return(value=ast.Constant(value=value))]:
            return value in (None, "") or isinstance(value, bool)
        case [ast.Return(value=ast.Tuple(elts=[]) | ast.List(elts=[]) | ast.Dict(keys=[]))]:
            return True
        case [ast.Return(value=ast.Call(func=ast.Name(), args=[], keywords=[]))]:
            return True
        case [ast.Raise()]:
            return True
    return False


def names_of_bases(cls: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in cls.bases}


def hooks(sources: Sources) -> Iterator[str]:
    """Yield the methods that do nothing but wait for an heir to override them."""
    classes = list(sources.of(ast.ClassDef))
    heirs: defaultdict[str, list[ast.ClassDef]] = defaultdict(list)
    for _, cls in classes:
        for base in names_of_bases(cls):
            heirs[base].append(cls)

    def below(name: str) -> Iterator[ast.ClassDef]:
        for heir in heirs[name]:
            yield heir
            yield from below(heir.name)

    for file, cls in classes:
        if "Protocol" in names_of_bases(cls):
            continue
        overridden = {
            member.name
            for heir in below(cls.name)
            for member in heir.body
            if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        for method in cls.body:
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and method.name in overridden:
                decorators = {ast.unparse(one) for one in method.decorator_list}
                if says_nothing(method) and not decorators & {"abstractmethod", "overload"}:
                    yield f"{file}: {cls.name}.{method.name}"


def test_no_method_is_there_only_to_be_overridden(sources: Sources) -> None:
    assert list(hooks(sources)) == []


@pytest.mark.parametrize("nothing", ["pass", "'A hook.'", "return False", "return ()", "return set()", "return ''"])
def test_a_method_that_waits_for_an_heir_is_seen(nothing: str) -> None:
    source = f"""
    class Base:
        @property
        def hook(self): {nothing}
        def kept(self): {nothing}
    class Between(Base[int]): pass
    class Heir(module.Between):
        def hook(self): return 2
    """
    assert list(hooks(Sources({"m": textwrap.dedent(source)}))) == ["m: Base.hook"]


def bases_of_one_heir(sources: Sources) -> set[str]:
    """Return the classes that are there for one other alone: it extends them, and nothing else speaks of them."""
    heirs: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for file, cls in sources.of(ast.ClassDef):
        for base in names_of_bases(cls):
            heirs[base].add((file, cls.name))
    as_bases = {id(node) for _, cls in sources.of(ast.ClassDef) for base in cls.bases for node in ast.walk(base)}
    spoken = {node.id for _, node in sources.of(ast.Name) if id(node) not in as_bases}
    return {cls.name for _, cls in sources.of(ast.ClassDef) if len(heirs[cls.name]) == 1 and cls.name not in spoken}


def test_no_class_is_there_for_one_heir_alone(sources: Sources) -> None:
    assert bases_of_one_heir(sources) == set()


def test_a_class_that_one_other_extends_is_seen() -> None:
    source = """
    class Base: pass
    class Heir(Base): pass
    class Made: pass
    class Further(module.Made[Heir]): pass
    class Root: pass
    class One(Root): pass
    class Other(Root): pass
    made = Made(), Further()
    """
    assert bases_of_one_heir(Sources({"m": textwrap.dedent(source)})) == {"Base"}


QUERIES = {"query_one", "query_exactly_one", "query_children", "query_ancestor", "get_widget_by_id", "walk_children"}


def test_no_widget_is_looked_for_within_another(sources: Sources) -> None:
    """A widget looks only for what stands on itself: another is told by its methods, and tells by messages."""
    asked = []
    for file, call in sources.of(ast.Call):
        if file.startswith("tui/") and isinstance(call.func, ast.Attribute):
            name, whose = call.func.attr, ast.unparse(call.func.value)
            # A store is queried, too.
            is_looking = name in QUERIES or (name == "query" and not whose.rpartition(".")[2].endswith("store"))
            if is_looking and whose not in ("self", "super()"):
                asked.append(f"{file}:{call.lineno} {whose}.{name}")
    assert asked == []


def test_no_handler_calls_that_of_its_base_which_textual_calls_as_well(sources: Sources) -> None:
    """Only ``on_event`` is a method that Textual calls once."""
    called = [
        f"{file}:{call.lineno}"
        for file, call in sources.of(ast.Call)
        if file.startswith("tui/")
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) == "super()"
        and call.func.attr.startswith("on_")
        and call.func.attr != "on_event"
    ]
    assert called == []
