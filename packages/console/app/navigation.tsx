import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../translations/translate.ts';
import {
  auditPath,
  conversationsPath,
  crawlsPath,
  documentsPath,
  eventsPath,
  installationPath,
  keysPath,
  linksPath,
  membersPath,
  previewPath,
  projectionsPath,
  ROOT,
  settingsPath,
  sinksPath,
  sourcesPath,
  spacePath,
  subscriptionsPath,
  usagePath,
  usersPath,
  widgetPath,
} from './paths.ts';
import { hasRight, type Right } from './rights.ts';

interface Group {
  /** Null: the group has no heading. */
  readonly name: string | null;
  /** Name, path, and the right that the page needs. */
  readonly items: readonly (readonly [name: string, path: string, needs?: Right])[];
}

function spaceGroups(spaceId: string): readonly Group[] {
  return [
    { name: null, items: [[t('Overview'), spacePath(spaceId)]] },
    {
      name: t('Access'),
      items: [
        [t('Links'), linksPath(spaceId), 'edit'],
        [t('Access preview'), previewPath(spaceId), 'edit'],
        [t('API keys'), keysPath(spaceId), 'edit'],
        [t('Widget'), widgetPath(spaceId), 'edit'],
      ],
    },
    {
      name: t('Knowledge'),
      items: [
        [t('Documents'), documentsPath(spaceId)],
        [t('Crawls'), crawlsPath(spaceId), 'edit'],
        [t('Projections'), projectionsPath(spaceId)],
        [t('Conversations'), conversationsPath(spaceId), 'conversations'],
      ],
    },
    {
      name: t('Events'),
      items: [
        [t('Events'), eventsPath(spaceId)],
        [t('Event sources'), sourcesPath(spaceId), 'edit'],
        [t('Subscriptions'), subscriptionsPath(spaceId)],
        [t('Sinks'), sinksPath(spaceId)],
      ],
    },
    {
      name: t('Space'),
      items: [
        [t('People'), membersPath(spaceId), 'edit'],
        [t('Usage'), usagePath(spaceId), 'edit'],
        [t('Audit'), auditPath(spaceId), 'audit'],
        [t('Settings'), settingsPath(spaceId), 'edit'],
      ],
    },
  ];
}

/** The pages outside spaces. */
function installationGroups(): readonly Group[] {
  return [
    { name: null, items: [[t('Spaces'), ROOT, 'administrator']] },
    {
      name: t('Installation'),
      items: [
        [t('Users'), usersPath, 'administrator'],
        [t('Audit'), auditPath(), 'administrator'],
        [t('State'), installationPath, 'administrator'],
      ],
    },
  ];
}

/** Returns the groups with only the pages that the user may open. */
function permitted(groups: readonly Group[]): readonly Group[] {
  return groups
    .map(({ name, items }) => ({
      name,
      items: items.filter(([, , needs]) => needs === undefined || hasRight(needs)),
    }))
    .filter(({ items }) => items.length > 0);
}

/** The navigation of the current space or of the installation. Narrow windows show it after a click on "Menu". */
export function Navigation({ path }: { readonly path: string }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  const pages = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    // The focused entry disappears, except in wide windows, which have no button.
    if (pages.current?.contains(document.activeElement)) button.current?.focus();
    setOpen(false);
  };
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && close();
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const [, spaceId] = /^\/console\/spaces\/([^/]+)/.exec(path) ?? [];
  const groups = permitted(spaceId === undefined ? installationGroups() : spaceGroups(spaceId));
  if (groups.length === 0) return null;
  const current = currentItem(groups, path);
  return (
    <nav aria-label={t('Pages')}>
      <button
        ref={button}
        type="button"
        class="menu"
        aria-expanded={isOpen}
        aria-controls="pages"
        onClick={() => setOpen(!isOpen)}
      >
        {t('Menu')}
      </button>
      <div id="pages" ref={pages} class={isOpen ? 'open' : undefined}>
        {groups.map(({ name, items }) => (
          <div key={name}>
            {name !== null && <p>{name}</p>}
            <ul>
              {items.map(([text, target]) => (
                <li key={target}>
                  <a
                    href={target}
                    onClick={close}
                    aria-current={target === current ? 'page' : undefined}
                  >
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

/** Returns the path of the entry that contains a page: the longest one, because the paths of pages start with the path of their space. */
function currentItem(groups: readonly Group[], path: string): string | undefined {
  return groups
    .flatMap(({ items }) => items.map(([, target]) => target))
    .filter((target) => path === target || (target !== ROOT && path.startsWith(`${target}/`)))
    .sort((a, b) => b.length - a.length)[0];
}
