"""The page widget and its parts.

``page_view.PageView`` is the only widget: it takes keys, the mouse and pages, and posts messages. It holds

- ``cursor.PageCursor``: the page as lines, the line cursor in it, scrolling, folds and sideways scrolling;
- ``page_lines.PageLines``: a line of it as a strip, and the parts of the page by their place on the screen;
- ``hyperlinks.Links``, ``finder.Finder``, ``page_parts.Headings``, ``page_parts.Folds``, ``page_parts.Marks``,
  ``page_parts.Descriptions``, ``page_pictures.PagePictures``.

A part knows the cursor, never the widget. It offers, each where it has any: ``overlays(leaf)``, roles laid over the
text of a leaf; ``sign(leaf)``, its mark in the margin; ``here()``, what of its kind is under the cursor; what its
actions do; and why one cannot be done now. What it derives from a page it derives again when the page has changed.
"""
