// Applies the reader's colour theme before the first paint; loaded as a classic script for that reason.
// "auto" (no attribute) follows the system.
(() => {
  const KEY = 'convoke.theme';
  const ORDER = ['auto', 'light', 'dark'];

  const read = () => {
    try {
      const kept = localStorage.getItem(KEY) ?? 'auto';
      return ORDER.includes(kept) ? kept : 'auto';
    } catch {
      return 'auto';
    }
  };

  const apply = (/** @type {string} */ theme) => {
    if (theme === 'auto') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', theme);
  };

  apply(read());

  /** @type {any} */ (window).convokeTheme = {
    read,
    /** Moves on to the next of auto, light, dark and returns its name. */
    next() {
      const theme = ORDER[(ORDER.indexOf(read()) + 1) % ORDER.length];
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        // Storage may be forbidden; the choice then lasts as long as the page.
      }
      apply(theme);
      return theme;
    },
  };
})();
