/**
 * Tells the other processes on the same store that something has changed there, so that they need not find out by
 * and by. A hint can be lost and comes after what it tells of: nothing may rest on it.
 */
export interface Hints {
  /** @param text where to look, short. Hints with the same words that follow each other closely may come as one. */
  publish(topic: string, text: string): void;
  /** Hears what other processes tell, never what this one does. */
  subscribe(topic: string, listener: (text: string) => void): void;
}
