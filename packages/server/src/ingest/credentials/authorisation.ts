/** The result of checking the credential for one event. */
export type Authorisation =
  | {
      readonly accepted: true;
      readonly spaceId: string;
      /** `null` if no API key was used. */
      readonly keyId: string | null;
      /** `true` if the credential is a signature, `false` if it is an API key or a session. */
      readonly signed: boolean;
      /** Permission of the key or session to change documents. A signed event has the permission of its source instead. */
      readonly writesKnowledge: boolean;
    }
  | Rejection;

export interface Rejection {
  readonly accepted: false;
  /** `unproven`: the sender is unknown. `forbidden`: the sender is known but lacks the permission. */
  readonly reason: 'unproven' | 'forbidden';
  /** A description of the problem. Starts with the path of the invalid member in the event or in the body. */
  readonly problem: string;
  /** The owner of a credential that is known but not sufficient. */
  readonly known?: { readonly spaceId: string; readonly keyId: string | null };
}

/** The refusal of an unknown sender. */
export function unproven(problem: string): Rejection {
  return { accepted: false, reason: 'unproven', problem };
}
