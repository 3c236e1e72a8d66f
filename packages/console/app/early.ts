/** Requests that were sent before the first page was rendered, by the key of the data. */
const requests = new Map<string, Promise<unknown>>();
/** A page that is opened later loads its data again. */
const DROPPED_AFTER_MS = 10_000;

/** The query parameters of an address. */
export type Query = Readonly<Record<string, string>>;

/** A description of data: the same key means the same data. */
export interface Source<T> {
  readonly key: string;
  readonly load: () => PromiseLike<T>;
}

/** Starts to load the data of the first page, while its module and the session are loaded. */
export function loadEarly<T>({ key, load }: Source<T>): Promise<T> {
  const request = Promise.resolve(load());
  request.catch(() => {});
  requests.set(key, request);
  setTimeout(() => requests.delete(key), DROPPED_AFTER_MS);
  return request;
}

/** Forgets all early requests, because they were sent for a user whose session has ended. */
export function dropEarly(): void {
  requests.clear();
}

/** Returns the data of an early request. Loads the data if there was no such request, or if it failed. */
export function loadOrTake<T>({ key, load }: Source<T>): PromiseLike<T> {
  const request = requests.get(key) as Promise<T> | undefined;
  requests.delete(key);
  return request === undefined ? load() : request.catch(load);
}
