// @ts-check
// Work once per animation frame. Hundreds of changes a second cost one rendering; a hidden tab, which gets no
// frames, catches up once a second.

/** @type {Set<() => void>} */
const due = new Set();
let armed = false;

/** What a task asks for happens in the same frame. */
function run() {
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
  if (document.hidden) setTimeout(run, 1000);
  else requestAnimationFrame(run);
}

// A frame that was asked for just before the tab was hidden would come only when the tab is shown again.
document.addEventListener('visibilitychange', () => {
  if (armed) setTimeout(run, 0);
});
