/** Joins class names and skips absent ones. */
export const classes = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ');

// Classes that menus, selects and comboboxes share.

export const popupClass =
  'popup-motion max-h-[min(var(--available-height),24rem)] min-w-[var(--anchor-width)] overflow-y-auto overscroll-contain rounded-lg border border-stroke-strong bg-overlay p-1 text-sm text-content shadow-overlay outline-none';

export const popupItemClass =
  'flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 py-1 outline-none select-none pointer-coarse:min-h-11 data-disabled:text-faint data-highlighted:bg-hover data-highlighted:text-strong [&_svg]:size-4 [&_svg]:shrink-0';

/** Above page content and dialogs. */
export const popupLayer = 'z-60';
