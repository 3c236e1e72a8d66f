import { useEffect, useMemo } from 'preact/hooks';
import type { Answer, Message } from '../../chat/message.ts';
import { type Announcer, LiveRegion, Speech } from '../../screen-reader/index.ts';
import type { Words } from '../../translations/strings.ts';
import { useWords } from '../strings-context.ts';

/** What a screen reader hears of an answer that comes: its sentences, each when it is whole. */
export function Announcements({ messages }: { readonly messages: readonly Message[] }) {
  const words = useWords();
  const speech = useMemo(() => new Speech(), []);
  const newest = messages.at(-1);
  useEffect(() => {
    const isComing = newest?.role === 'assistant' && newest.view.peek().state === 'coming';
    return isComing ? announce(newest, speech, words) : undefined;
  }, [newest, speech, words]);
  return <LiveRegion speech={speech} />;
}

/** Speaks an answer until it has ended, or the function that it gives is called. */
function announce(answer: Answer, speech: Speech, words: Words): () => void {
  let announcer: Announcer | null = null;
  let hasEnded = false;
  const speak = () => {
    if (announcer === null || hasEnded) return;
    const { text, state } = answer.view.peek();
    speech.say(announcer.hear(text));
    if (state === 'coming') return;
    hasEnded = true;
    speech.say(announcer.end());
    if (state === 'finished') speech.say([words.answerReady]);
    if (state === 'stopped') speech.say([words.stopped]);
  };
  speech.say([words.thinking]);
  import('../answer/index.ts').then(
    ({ createAnnouncer }) => {
      announcer = createAnnouncer(words, document.documentElement.lang);
      speak();
    },
    () => {
      // Without a connection there is nothing to say but that, and the answer does.
    },
  );
  return answer.view.subscribe(speak);
}
