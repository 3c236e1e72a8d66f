/** The appearance of the widget as the form holds it. Empty: the default. */
export interface Appearance {
  readonly title: string;
  readonly greeting: string;
  /** One question per line. */
  readonly suggestions: string;
  readonly mode: string;
  readonly accent: string;
  readonly locale: string;
  readonly position: string;
  /** A `data:` URL. */
  readonly logo: string;
}

export const DEFAULT_APPEARANCE: Appearance = {
  title: '',
  greeting: '',
  suggestions: '',
  mode: '',
  accent: '',
  locale: '',
  position: '',
  logo: '',
};

/** Returns the member `widget` of a link request. It contains only values that differ from the defaults. */
export function toWidget(appearance: Appearance): Readonly<Record<string, unknown>> {
  const { title, greeting, locale, position, logo, mode, accent } = appearance;
  const suggestions = appearance.suggestions.split('\n').filter((line) => line.trim() !== '');
  const theme = given({ mode, accent });
  return {
    ...given({ title, greeting, locale, position, logo }),
    ...(suggestions.length === 0 ? {} : { suggestions }),
    ...(Object.keys(theme).length === 0 ? {} : { theme }),
  };
}

/** Returns the HTML that embeds the widget. The token comes from the backend. */
export function embedSnippet(origin: string, { locale, position }: Appearance): string {
  const options = [
    `src="${origin}/embed.js"`,
    'data-get-token="assistantToken"',
    ...(position === '' ? [] : [`data-position="${position}"`]),
    ...(locale === '' ? [] : [`data-lang="${locale}"`]),
  ];
  return [
    '<script>',
    '  async function assistantToken() {',
    "    const response = await fetch('/api/assistant-token', { method: 'POST' });",
    '    return (await response.json()).token;',
    '  }',
    '</script>',
    `<script ${options.join(' ')} async></script>`,
  ].join('\n');
}

function given(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}
