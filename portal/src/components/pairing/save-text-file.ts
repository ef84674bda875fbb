/** Hands a text to the browser's downloads. */
export const saveTextFile = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The download has taken its copy by the next turn of the event loop at the latest.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};
