/** Where a peer keeps events: each identity once, on disk when `keep` resolves. */
export interface PeerStore {
  keep(events: readonly PeerEvent[]): Promise<void>;
}

export interface PeerEvent {
  readonly id: string;
  readonly source: string;
}

/** Loads a package that `installPeers` has put there; what of it is used is for the caller to say. */
export type LoadPackage = (name: string) => unknown;
