// @ts-check
// Whether the screen is as narrow as a phone's; the same width as in the style sheets.
import { useEffect, useState } from '../view.js';

const narrow = matchMedia('(max-width: 720px)');

export function usePhone() {
  const [is, set] = useState(narrow.matches);
  useEffect(() => {
    const follow = () => set(narrow.matches);
    narrow.addEventListener('change', follow);
    return () => narrow.removeEventListener('change', follow);
  }, []);
  return is;
}
