import { signal } from '@preact/signals';

/** The connection to the service. `back`: it was lost, and works again. */
export const connection = signal<'ok' | 'lost' | 'back'>('ok');

/** The last attempt to load data of the page again has failed temporarily, so the page may show old data. */
export const isOutdated = signal(false);

/** Each change reloads the data of the page, for example because the connection or the session is back. */
export const reloads = signal(0);

/** Shows that the connection is lost. `watchConnection` tries until the service answers. */
export function connectionLost(): void {
  connection.value = 'lost';
}
