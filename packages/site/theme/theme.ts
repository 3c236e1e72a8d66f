// Runs in the head of each page, before the first paint: applies the stored colour scheme.
document.documentElement.classList.add('js');
try {
  const scheme = localStorage.getItem('gatehouse-docs-colours');
  if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset['theme'] = scheme;
} catch {
  // The browser blocks storage. The page uses the colour scheme of the system.
}
