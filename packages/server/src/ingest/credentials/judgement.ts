/** Whether a credential is accepted for an event: the space it writes to, or what is wrong with it. */
export type Judgement =
  | {
      readonly accepted: true;
      readonly spaceId: string;
      /** The API key that it was sent by; null without one. */
      readonly keyId: string | null;
      /** Whether a signature proves it; else a key or a session alone does. */
      readonly signed: boolean;
      /** Whether that key or session may change documents; with a signature its source says so. */
      readonly writesKnowledge: boolean;
    }
  | Refusal;

export interface Refusal {
  readonly accepted: false;
  /** `unproven`: nobody knows who sends this. `forbidden`: a live key, without the right. */
  readonly reason: 'unproven' | 'forbidden';
  /** Begins with the path in the event, or in the body. */
  readonly problem: string;
}
