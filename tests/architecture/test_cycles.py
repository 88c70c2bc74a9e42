from __future__ import annotations

import grimp


def test_no_module_imports_itself_by_a_detour() -> None:
    """Imports inside functions and those for types alone count too."""
    graph = grimp.build_graph("recto", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert circles(imports) == []


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that reach one another, by taking away what imports or is imported by nothing."""
    left = set(imports)
    while True:
        imported = {other for module in left for other in imports[module]}
        kept = {module for module in left if imports[module] & left and module in imported}
        if kept == left:
            return [sorted(left)] if left else []
        left = kept
