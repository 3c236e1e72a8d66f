/** Storage of a peer. Each identity is stored once and is durable when `keep` resolves. */
export interface PeerStore {
  keep(events: readonly PeerEvent[]): Promise<void>;
}

export interface PeerEvent {
  readonly id: string;
  readonly source: string;
}

export type LoadPackage = (name: string) => unknown;
