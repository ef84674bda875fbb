// Runs before the first paint, as a file of its own because the content security policy allows no inline script.
// ui/theme.ts takes over once the portal has loaded; the key and the colours are the same there.
(() => {
  const choice = localStorage.getItem('theme');
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  document.querySelector('meta[name="theme-color"]').content = dark ? '#171412' : '#f6f4f1';
})();
