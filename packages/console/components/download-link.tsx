import type { ComponentChildren } from 'preact';
import { loadSession, toProblem } from '../app/client.ts';

export interface DownloadLinkProps {
  readonly href: string;
  /** Default: the name that the service sends. */
  readonly fileName?: string;
  readonly isSmall?: boolean;
  readonly children: ComponentChildren;
}

/** A link that downloads a file. Loads the session too, because the page does not learn that the download has failed without a session. */
export function DownloadLink({ href, fileName, isSmall = false, children }: DownloadLinkProps) {
  return (
    <a
      class={isSmall ? 'button small' : 'button'}
      href={href}
      download={fileName ?? true}
      onClick={() => void loadSession().catch(toProblem)}
    >
      {children}
    </a>
  );
}
