"""The page widget and its parts.

``page_view.PageView`` is the only widget: it takes keys, the mouse and pages, and posts messages. It holds

- ``cursor.PageCursor``: the page as lines, the line cursor in it, scrolling, folds and sideways scrolling;
- ``page_lines.PageLines``: a line of it as a strip, and the parts of the page by their place on the screen;
- ``hyperlinks.Links``, ``finder.Finder``, ``page_parts.Headings``, ``page_parts.Folds``, ``page_parts.Marks``,
  ``page_parts.Descriptions``, ``page_pictures.PagePictures``.

A part knows the cursor, never the widget. As needed it offers ``overlays(leaf)``, the roles laid over the text of a
leaf; ``sign(leaf)``, its mark in the margin; ``here()``, its item under the cursor; its actions; and the reasons why
they cannot be done now. It derives its data again when the page has changed."""
