// The search of the site and the menu on small screens. Everything else works without it.
const root = document.body.dataset.root;
const box = document.getElementById('search');
const results = document.getElementById('results');
const menu = document.getElementById('menu');
const MOST = 12;

menu.addEventListener('click', () => {
  const open = document.getElementById('pages').classList.toggle('open');
  menu.setAttribute('aria-expanded', String(open));
});

let index;
const load = () => (index ??= fetch(`${root}search.json`).then((answer) => answer.json()));

const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_.{}/-]+/u).filter(Boolean);

/** How well an entry fits: each word must be in it; headings and titles count more than text. */
function score(entry, words) {
  const heading = entry.h.toLowerCase();
  const page = entry.p.toLowerCase();
  const text = entry.t.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const points = (heading.includes(word) ? 12 : 0) + (page.includes(word) ? 5 : 0) + (text.includes(word) ? 1 : 0);
    if (points === 0) return 0;
    // Of two headings that have the word, the shorter one says more about it.
    sum += points + (heading.includes(word) ? (20 * word.length) / heading.length : 0);
  }
  return sum;
}

function excerpt(entry, words) {
  const at = Math.max(0, entry.t.toLowerCase().indexOf(words[0]) - 40);
  return (at > 0 ? '...' : '') + entry.t.slice(at, at + 140);
}

/** The text with the words marked, as nodes: nothing of the index becomes HTML. */
function marked(text, words) {
  const part = document.createDocumentFragment();
  const found = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'giu');
  text.split(found).forEach((piece, n) => {
    const node = n % 2 ? document.createElement('mark') : document.createTextNode(piece);
    if (n % 2) node.textContent = piece;
    part.append(node);
  });
  return part;
}

function line(entry, words) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = root + entry.u;
  link.append(marked(entry.h || entry.p, words));
  const small = document.createElement('small');
  small.append(`${entry.p}: `, marked(excerpt(entry, words), words));
  item.append(link, small);
  return item;
}

async function search() {
  const words = wordsOf(box.value);
  if (words.length === 0) {
    results.replaceChildren();
    return;
  }
  const asked = box.value;
  const entries = await load();
  if (box.value !== asked) return;
  const best = entries
    .map((entry) => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, MOST);
  const list = document.createElement('ul');
  list.append(...best.map(({ entry }) => line(entry, words)));
  results.replaceChildren(best.length ? list : document.createTextNode('Nothing found.'));
}

box.addEventListener('focus', load, { once: true });
box.addEventListener('input', search);
box.form.addEventListener('submit', (event) => {
  event.preventDefault();
  results.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    box.focus();
  }
  if (event.key === 'Escape') {
    box.value = '';
    results.replaceChildren();
  }
});
