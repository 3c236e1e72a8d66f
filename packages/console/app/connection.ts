import { signal } from '@preact/signals';

/** The connection to the service. `back`: it was lost, and works again. */
export const connection = signal<'ok' | 'lost' | 'back'>('ok');

/** The last attempt to load data of the page again has failed temporarily, so the page may show old data. */
export const isOutdated = signal(false);

/** Number of times that the connection or the session of the page came back. Each change reloads the data of the page. */
export const reconnections = signal(0);

/** Shows that the connection is lost. `watchConnection` tries until the service answers. */
export function connectionLost(): void {
  connection.value = 'lost';
}
