import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';

const LIFETIME_SECONDS = 600;

export interface PreviewProps {
  readonly spaceId: string;
  readonly widget: Readonly<Record<string, unknown>>;
}

/**
 * The widget in a frame. It opens a link that shows no documents, stores no conversation and is revoked when the preview changes or the page
 * is left.
 */
export function Preview({ spaceId, widget }: PreviewProps) {
  const [token, setToken] = useState<string | null>(null);
  // The response to the creation of a link does not contain its ID, so the preview revokes its links by their person.
  const sub = useMemo(() => `console-preview-${crypto.randomUUID()}`, []);
  const wanted = JSON.stringify(widget);
  const [shown, setShown] = useState('');
  const isShown = token !== null && shown === wanted;
  const isOpen = useRef(false);
  const revoke = () => client.links.revokeAll({ sub }, { spaceId });
  const show = useAction(async () => {
    if (token !== null) await revoke();
    const created = await client.links.create({
      spaceId,
      sub,
      widget: JSON.parse(wanted),
      permissionFilter: { or: [] },
      features: { chatHistory: false },
      ttlSeconds: LIFETIME_SECONDS,
    });
    isOpen.current = true;
    setToken(created.token);
    setShown(wanted);
  });
  useEffect(
    () => () => {
      if (isOpen.current) revoke().catch(() => undefined);
    },
    [],
  );
  return (
    <aside aria-label={t('Preview')}>
      <div class="actions">
        <button
          type="button"
          class="main"
          aria-disabled={show.isRunning || isShown}
          onClick={() => !isShown && void show.run()}
        >
          {token === null ? t('Show the preview') : t('Update the preview')}
        </button>
      </div>
      {show.problem && <ProblemNote problem={show.problem} />}
      {token !== null && (
        <iframe key={token} class="preview" title={t('Preview')} src={`/widget/${token}`} />
      )}
      <p class="hint">
        {t(
          'The preview uses a link that is valid for ten minutes, shows no documents and stores nothing.',
        )}
      </p>
    </aside>
  );
}
