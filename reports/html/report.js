// SPDX-License-Identifier: Apache-2.0
// Sorting, filtering, selecting and the theme. The page has the same content without it. Texts are
// only ever set as text, so nothing from the profile becomes markup or code.
(() => {
  'use strict';
  const find = id => document.getElementById(id);
  const show = id => { const element = find(id); if (element) element.hidden = false; };

  // Theme: system, light or dark. Files opened from disk may have no storage.
  const root = document.documentElement;
  // Texts in other languages come from attributes of the page.
  const say = (key, english) => root.dataset[key] || english;
  const themes = ['system', 'light', 'dark'];
  const button = find('theme');
  let theme = root.dataset.theme || 'system';
  try { theme = localStorage.getItem('roofscope-theme') || theme; } catch { /* not kept */ }
  const useTheme = () => {
    if (!themes.includes(theme)) theme = 'system';
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    button.textContent = say('themeLabel', 'Theme: ') +
      say('theme' + theme[0].toUpperCase() + theme.slice(1), theme);
  };
  useTheme();
  button.hidden = false;
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    useTheme();
    try { localStorage.setItem('roofscope-theme', theme); } catch { /* not kept */ }
  });

  const folds = [...document.querySelectorAll('details.kernel')];
  const foldAll = open => folds.forEach(fold => { fold.open = open; });
  const reveal = () => {
    const target = location.hash.length > 1 && find(location.hash.slice(1));
    const fold = target && target.closest('details');
    if (fold) { fold.open = true; target.scrollIntoView(); }
  };
  window.addEventListener('hashchange', reveal);
  reveal();
  if (folds.length > 1) show('folding');
  if (find('unfold')) {
    find('unfold').addEventListener('click', () => foldAll(true));
    find('fold').addEventListener('click', () => foldAll(false));
  }
  // Unfold everything for printing.
  let folded = [];
  window.addEventListener('beforeprint', () => {
    folded = folds.filter(fold => !fold.open);
    foldAll(true);
  });
  window.addEventListener('afterprint', () => folded.forEach(fold => { fold.open = false; }));

  const table = find('table');
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  table.classList.add('live');

  // Sort by number if cells have one; cells without a value come last in both orders.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const value = cell.dataset.value;
    if (value === undefined) return cell.textContent.toLowerCase();
    return value === '' ? null : Number(value);
  };
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const sorter = document.createElement('button');
    sorter.type = 'button';
    sorter.textContent = heading.textContent;
    heading.replaceChildren(sorter);
    sorter.addEventListener('click', () => {
      const before = heading.getAttribute('aria-sort');
      // Numbers start with the largest (except ranks), texts with A.
      const numeric = heading.classList.contains('number') || column === headings.length - 1;
      const first = numeric && column > 0 ? 'descending' : 'ascending';
      const other = first === 'descending' ? 'ascending' : 'descending';
      const order = before === first ? other : first;
      headings.forEach(each => each.removeAttribute('aria-sort'));
      heading.setAttribute('aria-sort', order);
      const sign = order === 'ascending' ? 1 : -1;
      const keyed = rows.map((row, index) => ({ row, index, key: keyOf(row, column) }));
      keyed.sort((a, b) => {
        if (a.key === null || b.key === null) {
          if (a.key === b.key) return a.index - b.index;
          return a.key === null ? 1 : -1;
        }
        return (a.key < b.key ? -sign : a.key > b.key ? sign : 0) || a.index - b.index;
      });
      body.append(...keyed.map(entry => entry.row));
    });
  });

  const filter = find('filter');
  show('tools');
  filter.addEventListener('input', () => {
    const wanted = filter.value.toLowerCase();
    let left = 0;
    for (const row of rows) {
      const name = row.querySelector('th');
      const hit = (name.textContent + ' ' + name.title).toLowerCase().includes(wanted);
      row.hidden = !hit;
      if (hit) ++left;
    }
    find('count').textContent = wanted ? say('count', '{left} of {all}')
      .replace('{left}', left).replace('{all}', rows.length) : '';
  });

  // Group the dots, rows and sections of each kernel.
  const parts = new Map();
  for (const element of document.querySelectorAll('.dot, #table tbody tr, details.kernel')) {
    const kernel = element.dataset.kernel;
    if (!parts.has(kernel)) parts.set(kernel, []);
    parts.get(kernel).push(element);
  }
  const pictures = [...document.querySelectorAll('.plot svg')];
  const mark = (kernel, name, on) => {
    for (const element of parts.get(kernel) || []) element.classList.toggle(name, on);
  };
  const rowOf = kernel => (parts.get(kernel) || []).find(element => element.tagName === 'TR');
  const note = find('picked');
  const hint = say('hint',
    'Select a dot or a row to see the same kernel in both; Escape ends that.');
  note.textContent = hint;
  let picked = null;
  const pick = (kernel, scroll) => {
    if (picked !== null) mark(picked, 'picked', false);
    picked = kernel === picked ? null : kernel;
    for (const picture of pictures) picture.classList.toggle('picking', picked !== null);
    for (const row of rows) row.removeAttribute('aria-current');
    if (picked === null) { note.textContent = hint; return; }
    mark(picked, 'picked', true);
    const row = rowOf(picked);
    row.setAttribute('aria-current', 'true');
    const cells = [...row.cells].map(cell => cell.textContent.trim());
    const dots = parts.get(picked).some(element => element.classList.contains('dot'));
    const link = document.createElement('a');
    link.href = '#kernel-' + picked;
    link.textContent = cells[0] + '. ' + cells[1];
    note.replaceChildren(link, say('picked', ': {verdict}, median {median}')
      .replace('{verdict}', cells[9]).replace('{median}', cells[7]) +
      (dots ? '' : say('noDot', '; it has no place in the plot')));
    // Scroll only the table, so that the plot stays in place.
    const pane = table.parentElement;
    const head = table.tHead.offsetHeight;
    if (scroll && (row.offsetTop < pane.scrollTop + head ||
                   row.offsetTop + row.offsetHeight > pane.scrollTop + pane.clientHeight))
      pane.scrollTop = row.offsetTop - head - pane.clientHeight / 3;
  };
  const kernelOf = event => {
    const element = event.target.closest('.dot, #table tbody tr');
    return element ? element.dataset.kernel : undefined;
  };
  let hot = null;
  document.addEventListener('mouseover', event => {
    const kernel = kernelOf(event);
    if (kernel === hot) return;
    if (hot) mark(hot, 'hot', false);
    if (kernel) mark(kernel, 'hot', true);
    hot = kernel;
  });
  document.addEventListener('click', event => {
    const kernel = kernelOf(event);
    if (!kernel) return;
    const dot = event.target.closest('.dot');
    if (!dot && event.target.closest('a')) return;
    if (dot) event.preventDefault();
    pick(kernel, Boolean(dot));
  });
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape' && picked !== null) pick(picked, false);
    const row = event.target.closest && event.target.closest('#table tbody tr');
    if (row && event.key === ' ' && event.target.tagName === 'A') {
      event.preventDefault();
      pick(row.dataset.kernel, false);
    }
  });
})();
