import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

const NICE = 10;

/**
 * Lets all other threads go before this one where processors are short: who sends waits for an answer, and what was
 * accepted can wait. Threads have priorities of their own on Linux alone; elsewhere this does nothing.
 */
export function goBehindOthers(): void {
  try {
    // <process>/task/<thread>
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICE);
  } catch {
    // Then it competes like any other.
  }
}
