/** Copies text to the clipboard. Returns `false` if the browser or the embedding page forbids copying. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
