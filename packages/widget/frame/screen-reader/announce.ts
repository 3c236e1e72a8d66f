import type { Answer } from '../chat/message.ts';
import type { Strings } from '../translations/strings.ts';
import { Announcer } from './announcer.ts';
import type { SpeechQueue } from './spoken-lines.ts';

/** Announces an answer until the answer ends. Returns a function that stops it. */
export function announce(answer: Answer, speech: SpeechQueue, strings: Strings): () => void {
  const announcer = new Announcer(strings, document.documentElement.lang);
  let hasEnded = false;
  let isSlownessAnnounced = false;
  speech.say([strings.thinking]);
  const stops = [
    answer.view.subscribe(({ text, state }) => {
      if (hasEnded) return;
      speech.say(announcer.push(text));
      if (state === 'streaming') return;
      hasEnded = true;
      speech.say(announcer.end());
      if (state === 'finished') speech.say([strings.answerReady]);
      if (state === 'stopped') speech.say([strings.stopped]);
    }),
    answer.isSlow.subscribe((isSlow) => {
      if (!isSlow || isSlownessAnnounced) return;
      isSlownessAnnounced = true;
      speech.say([strings.stillWorking]);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
