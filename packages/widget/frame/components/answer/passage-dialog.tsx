import type { Passage } from '@gatehouse/contract';
import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../../api/api.ts';
import { type Failure, isFailure } from '../../api/failure.ts';
import type { Source } from '../../chat/message.ts';
import { visible } from '../../text/visible.ts';
import { Dialog } from '../dialog.tsx';
import { FailureNote } from '../failure-note.tsx';
import { useStrings } from '../strings-context.ts';
import { SourceLink } from './source-link.tsx';

type Shown = Passage | Failure | 'loading' | 'gone';

/** Shows the passage of a source if the document still contains the passage and the person may still see it. Otherwise shows the reason. */
export function PassageDialog(props: {
  readonly api: Api;
  readonly spaceId: string;
  readonly source: Source;
  readonly onClose: () => void;
}) {
  const { api, spaceId, source, onClose } = props;
  const strings = useStrings();
  const [shown, setShown] = useState<Shown>('loading');
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    readPassage(api, spaceId, source).then((passage) => {
      if (isCurrent) setShown(passage ?? 'gone');
    });
    return () => {
      isCurrent = false;
    };
  }, [api, spaceId, source, attempts]);
  const retry = (button: HTMLElement) => {
    // The pressed button disappears, so the focus must move.
    button.closest('dialog')?.querySelector('button')?.focus();
    setShown('loading');
    setAttempts(attempts + 1);
  };

  return (
    <Dialog title={visible(source.title)} onClose={onClose}>
      {source.fileName !== source.title && (
        <p class="place" dir="auto">
          {visible(source.fileName)}
        </p>
      )}
      {shown === 'loading' && <p role="status">{strings.loading}</p>}
      {shown === 'gone' && <p role="alert">{strings.passageGone}</p>}
      {typeof shown === 'object' && isFailure(shown) && (
        <>
          <FailureNote failure={shown} />
          <button type="button" class="button" onClick={(event) => retry(event.currentTarget)}>
            {strings.tryAgain}
          </button>
        </>
      )}
      {typeof shown === 'object' && !isFailure(shown) && (
        <>
          {shown.heading !== null && shown.heading !== source.title && (
            <p class="place" dir="auto">
              {visible(shown.heading)}
            </p>
          )}
          <p class="passage" dir="auto">
            {visible(shown.text)}
          </p>
          <SourceLink url={source.url} />
        </>
      )}
    </Dialog>
  );
}

async function readPassage(
  api: Api,
  spaceId: string,
  { documentId, position, heading, attachment }: Source,
): Promise<Passage | Failure | null> {
  if (attachment !== undefined) return { position, heading, ...attachment };
  const path = `/spaces/${spaceId}/documents/${documentId}/passages?position=${position}&limit=1`;
  const found = await api.read<{ items: Passage[] }>({ method: 'GET', path });
  if (isFailure(found)) return found.retriable ? found : null;
  const [passage] = found.items;
  // The document may have changed since the answer was written.
  return passage?.position === position && passage.heading === heading ? passage : null;
}
