// @ts-check
// Work once per animation frame. Hundreds of changes a second cost one rendering; a tab that gets no frames, because it is
// hidden or covered, catches up once a second.

/** @type {Set<() => void>} */
const due = new Set();
const FRAMELESS_MS = 1000;

let armed = false;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer = undefined;

/** What a task asks for happens in the same frame. */
function run() {
  if (!armed) return;
  clearTimeout(timer);
  try {
    for (const task of due) {
      due.delete(task);
      task();
    }
  } finally {
    armed = false;
    for (const left of due) nextFrame(left);
  }
}

/**
 * Runs the task before the next paint, once, however often it is asked for.
 * @param {() => void} task
 */
export function nextFrame(task) {
  due.add(task);
  if (armed) return;
  armed = true;
  timer = setTimeout(run, FRAMELESS_MS);
  if (!document.hidden) requestAnimationFrame(run);
}

// A frame that was asked for just before the tab was hidden would come only when the tab is shown again.
document.addEventListener('visibilitychange', () => {
  if (armed) setTimeout(run, 0);
});
