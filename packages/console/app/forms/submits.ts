/** Returns the handler of a form whose submission the page handles itself. */
export function submits(action: () => void): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    action();
  };
}
