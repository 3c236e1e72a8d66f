import { visible } from '../../text/visible.ts';
import type { Language } from '../../translations/languages.ts';
import { useLanguage } from '../strings-context.ts';

const LABELS: Readonly<Record<Language, string>> = {
  en: 'Reasoning of the model',
  ar: 'تفكير النموذج',
  de: 'Überlegungen des Modells',
  es: 'Razonamiento del modelo',
  fr: 'Raisonnement du modèle',
  ja: 'モデルの思考過程',
  ru: 'Рассуждения модели',
  zh: '模型的思考过程',
};

/** The reasoning of a model as plain text, folded until the person opens it. */
export function Reasoning({ text }: { readonly text: string }) {
  return (
    <details class="reasoning">
      <summary>{LABELS[useLanguage() as Language] ?? LABELS.en}</summary>
      <p dir="auto">{visible(text)}</p>
    </details>
  );
}
