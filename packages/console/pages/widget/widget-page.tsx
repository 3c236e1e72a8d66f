import type { Space } from '@gatehouse/client';
import { useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { refreshSpace, useFreshSpace } from '../../app/space.ts';
import { Code } from '../../components/code.tsx';
import { Field, Select, TextArea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { toPatterns } from '../../components/patterns.ts';
import { PageProblem } from '../../components/problem-note.tsx';
import { LANGUAGES } from '../../translations/languages.ts';
import { t } from '../../translations/translate.ts';
import { type Appearance, DEFAULT_APPEARANCE, embedSnippet, toWidget } from './appearance.ts';
import { LogoField } from './logo-field.tsx';
import { Preview } from './preview.tsx';

/** The appearance of the widget with a preview, the code that embeds it, and the origins of the pages. */
export function WidgetPage() {
  const { spaceId = '' } = useRoute().params;
  const { data: space, problem } = useFreshSpace(spaceId);
  const [appearance, setAppearance] = useState(DEFAULT_APPEARANCE);
  if (problem !== null) return <PageProblem problem={problem} />;
  if (space === undefined) return <LoadingNote />;
  const widget = toWidget(appearance);
  return (
    <>
      <h1>{t('Widget')}</h1>
      <p class="hint">
        {t(
          'The appearance belongs to each link. Try it here, and send the values when your backend creates links.',
        )}
      </p>
      <div class="columns">
        <AppearanceForm appearance={appearance} onChange={setAppearance} />
        <Preview spaceId={spaceId} widget={widget} />
      </div>
      <section aria-labelledby="embed">
        <h2 id="embed">{t('Embed the widget')}</h2>
        <p>{t('Your backend creates a link for each user with this request.')}</p>
        <Code
          name={t('Link request')}
          text={JSON.stringify({ sub: 'customer-42', widget }, null, 2)}
        />
        <p>{t('Your page loads the widget and asks your backend for the token.')}</p>
        <Code name="HTML" text={embedSnippet(location.origin, appearance)} />
      </section>
      <Origins key={space.id} space={space} />
    </>
  );
}

interface AppearanceFormProps {
  readonly appearance: Appearance;
  readonly onChange: (appearance: Appearance) => void;
}

function AppearanceForm({ appearance, onChange }: AppearanceFormProps) {
  const field = (name: keyof Appearance) => ({
    value: appearance[name],
    onValue: (value: string) => onChange({ ...appearance, [name]: value }),
  });
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <Field label={t('Title')} {...field('title')} />
      <TextArea label={t('Greeting')} rows={2} {...field('greeting')} />
      <TextArea
        label={t('Suggested questions')}
        hint={t('One question per line, at most {count}', { count: 10 })}
        rows={3}
        {...field('suggestions')}
      />
      <Select
        label={t('Colours')}
        options={[
          ['', t('As the page')],
          ['light', t('Light')],
          ['dark', t('Dark')],
        ]}
        {...field('mode')}
      />
      <Field
        label={t('Accent colour')}
        hint={t('For example {colour}', { colour: '#b3005e' })}
        {...field('accent')}
      />
      <Select
        label={t('Language')}
        options={[['', t('Language of the browser')], ...LANGUAGES]}
        {...field('locale')}
      />
      <Select
        label={t('Position')}
        options={[
          ['', t('As the page')],
          ['left', t('Left')],
          ['right', t('Right')],
        ]}
        {...field('position')}
      />
      <LogoField {...field('logo')} />
    </form>
  );
}

/** The origins whose pages may embed the widget. */
function Origins({ space }: { readonly space: Space }) {
  const base = useRef(space.allowedOrigins);
  const [text, setText] = useState(space.allowedOrigins.join('\n'));
  const save = useAction(async () => {
    const wanted = toPatterns(text);
    const current = (await client.spaces.get(space.id)).allowedOrigins;
    // Origins that somebody else has added or removed meanwhile stay added or removed.
    const kept = current.filter((one) => wanted.includes(one) || !base.current.includes(one));
    const added = wanted.filter((one) => !base.current.includes(one) && !kept.includes(one));
    const saved = await client.spaces.update(space.id, { allowedOrigins: [...kept, ...added] });
    base.current = saved.allowedOrigins;
    setText(saved.allowedOrigins.join('\n'));
    await refreshSpace(space.id);
  });
  return (
    <section aria-labelledby="origins">
      <h2 id="origins">{t('Permitted pages')}</h2>
      <Form action={save} submit={t('Save')} draft={text} done={t('Saved')}>
        <TextArea
          label={t('Origins')}
          member="allowedOrigins"
          hint={t(
            'One origin per line, such as {example}. Browsers refuse to show the widget on other pages.',
            { example: 'https://shop.example' },
          )}
          rows={3}
          value={text}
          onValue={setText}
        />
      </Form>
    </section>
  );
}
