"""Where everything stands on a screen, and what of it is to be painted again."""

from __future__ import annotations

from textual._compositor import Compositor, CompositorMap


class ViewCompositor(Compositor):
    """Paints over what is gone, also where somebody asks for a place before all is laid out again.

    After scrolling Textual places everything anew for whoever asks first, and forgets what stood there before: what was
    told in passing stayed on the screen when its time was over.
    """

    @property
    def full_map(self) -> CompositorMap:
        """Where everything stands."""
        before = self._full_map
        now = super().full_map
        if now is not before:
            gone = (before[widget].visible_region for widget in before.keys() - now.keys())
            self._dirty_regions.update(region for region in gone if region)
        return now
