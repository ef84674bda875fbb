/** The selection with one row put in or taken out. */
export const toggled = (selected: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return next;
};

/** State of the box that stands for a whole page of rows, and the selection after a click on it. */
export const toggledAll = (
  selected: ReadonlySet<string>,
  page: readonly string[],
): { checked: boolean; indeterminate: boolean; next: ReadonlySet<string> } => {
  const count = page.filter((id) => selected.has(id)).length;
  const checked = page.length > 0 && count === page.length;
  const next = new Set(selected);
  for (const id of page) {
    if (checked) next.delete(id);
    else next.add(id);
  }
  return { checked, indeterminate: count > 0 && !checked, next };
};
