import { useEffect, useMemo } from 'preact/hooks';
import type { Answer, Message } from '../../chat/message.ts';
import type { Announcer } from '../../screen-reader/announcer.ts';
import { LiveRegion, SpeechQueue } from '../../screen-reader/live-region.ts';
import type { Strings } from '../../translations/strings.ts';
import { useStrings } from '../strings-context.ts';

/** Announces a streaming answer to screen readers, one complete sentence at a time. */
export function Announcements({ messages }: { readonly messages: readonly Message[] }) {
  const strings = useStrings();
  const speech = useMemo(() => new SpeechQueue(), []);
  const newest = messages.at(-1);
  useEffect(() => {
    const isStreaming = newest?.role === 'assistant' && newest.view.peek().state === 'streaming';
    return isStreaming ? announce(newest, speech, strings) : undefined;
  }, [newest, speech, strings]);
  return <LiveRegion speech={speech} />;
}

/** Announces an answer until it ends. Returns a function that stops the announcements. */
function announce(answer: Answer, speech: SpeechQueue, strings: Strings): () => void {
  let announcer: Announcer | null = null;
  let hasEnded = false;
  const speak = () => {
    if (announcer === null || hasEnded) return;
    const { text, state } = answer.view.peek();
    speech.say(announcer.push(text));
    if (state === 'streaming') return;
    hasEnded = true;
    speech.say(announcer.end());
    if (state === 'finished') speech.say([strings.answerReady]);
    if (state === 'stopped') speech.say([strings.stopped]);
  };
  speech.say([strings.thinking]);
  import('../answer/index.ts').then(
    ({ Announcer }) => {
      announcer = new Announcer(strings, document.documentElement.lang);
      speak();
    },
    () => {
      // If the connection is lost, the answer also fails, and that failure is announced separately.
    },
  );
  let isAnnounced = false;
  const stopWatching = answer.isSlow.subscribe((isSlow) => {
    if (!isSlow || isAnnounced) return;
    isAnnounced = true;
    speech.say([strings.stillWorking]);
  });
  const stopSpeaking = answer.view.subscribe(speak);
  return () => {
    stopWatching();
    stopSpeaking();
  };
}
