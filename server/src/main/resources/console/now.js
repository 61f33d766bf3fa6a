// @ts-check
// The console's clock: one cell that moves each second while the page is seen, for everything that counts.
import { Cell } from './cell.js';

export const now = new Cell(Date.now());

setInterval(() => {
  if (!document.hidden) now.set(Date.now());
}, 1000);
document.addEventListener('visibilitychange', () => now.set(Date.now()));
