import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * Lets the browser ask before the user closes or reloads the console.
 *
 * @param isBusy reads signals. The browser asks while it returns `true`.
 */
export function warnWhile(isBusy: () => boolean): void {
  effect(() => (isBusy() ? startWarning() : undefined));
}

/** Lets the browser ask before the user closes or reloads the console while `isBusy`. */
export function useLeaveWarning(isBusy: boolean): void {
  useEffect(() => (isBusy ? startWarning() : undefined), [isBusy]);
}

/** Returns a function that ends the warning. */
function startWarning(): () => void {
  const listener = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', listener);
  return () => removeEventListener('beforeunload', listener);
}
