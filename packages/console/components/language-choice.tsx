import { chooseLanguage, LANGUAGES } from '../translations/languages.ts';
import { t } from '../translations/translate.ts';

/** The choice of the language. The page is loaded again in the new language. */
export function LanguageChoice() {
  const current = document.documentElement.lang;
  return (
    <select
      class="language"
      aria-label={t('Language')}
      value={current}
      onChange={({ currentTarget }) => {
        const chosen = LANGUAGES.find(([language]) => language === currentTarget.value);
        if (chosen) chooseLanguage(chosen[0]);
      }}
    >
      {LANGUAGES.map(([language, name]) => (
        <option key={language} value={language} lang={language}>
          {name}
        </option>
      ))}
    </select>
  );
}
