import { useEffect, useState } from 'preact/hooks';
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

interface Group {
  /** Null: the group has no heading. */
  readonly name: string | null;
  /** Pairs of name and path. */
  readonly items: readonly (readonly [name: string, path: string])[];
}

/** The pages of a space in groups. */
function spaceGroups(spaceId: string): readonly Group[] {
  return [
    { name: null, items: [[t('Overview'), spacePath(spaceId)]] },
    {
      name: t('Access'),
      items: [
        [t('Links'), linksPath(spaceId)],
        [t('Access preview'), previewPath(spaceId)],
        [t('API keys'), keysPath(spaceId)],
        [t('Widget'), widgetPath(spaceId)],
      ],
    },
    {
      name: t('Knowledge'),
      items: [
        [t('Documents'), documentsPath(spaceId)],
        [t('Crawls'), crawlsPath(spaceId)],
        [t('Conversations'), conversationsPath(spaceId)],
      ],
    },
    {
      name: t('Events'),
      items: [
        [t('Events'), eventsPath(spaceId)],
        [t('Event sources'), sourcesPath(spaceId)],
        [t('Subscriptions'), subscriptionsPath(spaceId)],
        [t('Sinks'), sinksPath(spaceId)],
      ],
    },
    {
      name: t('Space'),
      items: [
        [t('People'), membersPath(spaceId)],
        [t('Usage'), usagePath(spaceId)],
        [t('Audit'), auditPath(spaceId)],
        [t('Settings'), settingsPath(spaceId)],
      ],
    },
  ];
}

/** The pages outside spaces. Only administrators may open the pages of the installation. */
function installationGroups(isAdmin: boolean): readonly Group[] {
  if (!isAdmin) return [];
  return [
    { name: null, items: [[t('Spaces'), ROOT]] },
    {
      name: t('Installation'),
      items: [
        [t('Users'), usersPath],
        [t('Audit'), auditPath()],
        [t('State'), installationPath],
      ],
    },
  ];
}

export interface NavigationProps {
  readonly path: string;
  readonly isAdmin: boolean;
}

/** The navigation of the current space or of the installation. Narrow windows show it after a click on "Menu". */
export function Navigation({ path, isAdmin }: NavigationProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    const close = ({ key }: KeyboardEvent) => key === 'Escape' && setOpen(false);
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, []);
  const [, spaceId] = /^\/console\/spaces\/([^/]+)/.exec(path) ?? [];
  const groups = spaceId === undefined ? installationGroups(isAdmin) : spaceGroups(spaceId);
  if (groups.length === 0) return null;
  const current = currentItem(groups, path);
  return (
    <nav aria-label={t('Pages')}>
      <button
        type="button"
        class="menu"
        aria-expanded={isOpen}
        aria-controls="pages"
        onClick={() => setOpen(!isOpen)}
      >
        {t('Menu')}
      </button>
      <div id="pages" class={isOpen ? 'open' : undefined}>
        {groups.map(({ name, items }) => (
          <div key={name}>
            {name !== null && <p>{name}</p>}
            <ul>
              {items.map(([text, target]) => (
                <li key={target}>
                  <a href={target} aria-current={target === current ? 'page' : undefined}>
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
