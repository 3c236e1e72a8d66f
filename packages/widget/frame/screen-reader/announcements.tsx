import { useEffect, useMemo } from 'preact/hooks';
import type { Message } from '../chat/message.ts';
import { useStrings } from '../components/strings-context.ts';
import { announce } from './announce.ts';
import { SpeechQueue, SpokenLines } from './spoken-lines.ts';

/** Announces a streaming answer to screen readers, one complete sentence at a time. */
export function Announcements({ newest }: { readonly newest: Message }) {
  const strings = useStrings();
  const speech = useMemo(() => new SpeechQueue(), []);
  useEffect(() => {
    if (newest.role !== 'assistant' || newest.view.peek().state !== 'streaming') return;
    return announce(newest, speech, strings);
  }, [newest, speech, strings]);
  return <SpokenLines speech={speech} />;
}
