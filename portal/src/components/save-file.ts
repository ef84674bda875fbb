/** Starts a download of the browser. */
export const saveFile = ({ name, content }: { name: string; content: Blob | string }): void => {
  const blob = typeof content === 'string' ? new Blob([content], { type: 'text/plain;charset=utf-8' }) : content;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // By then the browser has read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};
