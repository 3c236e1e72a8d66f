import { signal } from '@preact/signals';

/** The connection to the service. `back`: it was lost, and works again. */
export const connection = signal<'ok' | 'lost' | 'back'>('ok');

/** The number of times that a lost connection came back. Loaded data are loaded again then. */
export const reconnections = signal(0);

/** Shows that the connection is lost. `watchConnection` tries until the service answers. */
export function connectionLost(): void {
  connection.value = 'lost';
}
