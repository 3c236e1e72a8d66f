import { useEffect, useMemo } from 'preact/hooks';
import type { Message } from '../../chat/message.ts';
import { LiveRegion, SpeechQueue } from '../../screen-reader/live-region.ts';
import { useStrings } from '../strings-context.ts';

/** Announces a streaming answer to screen readers, one complete sentence at a time. */
export function Announcements({ messages }: { readonly messages: readonly Message[] }) {
  const strings = useStrings();
  const speech = useMemo(() => new SpeechQueue(), []);
  const newest = messages.at(-1);
  useEffect(() => {
    if (newest?.role !== 'assistant' || newest.view.peek().state !== 'streaming') return;
    const ended = new AbortController();
    import('../answer/index.ts').then(
      ({ announce }) => announce(newest, speech, strings, ended.signal),
      () => {
        // If the connection is lost, the answer also fails, and that failure is announced separately.
      },
    );
    return () => ended.abort();
  }, [newest, speech, strings]);
  return <LiveRegion speech={speech} />;
}
