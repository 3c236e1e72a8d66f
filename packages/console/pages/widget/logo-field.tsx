import { useId, useState } from 'preact/hooks';
import { t } from '../../translations/translate.ts';

/** Maximum length of the `data:` URL in characters. The service ignores larger logos. */
const MAX_LOGO_LENGTH = 32_000;

export interface LogoFieldProps {
  readonly value: string;
  readonly onValue: (url: string) => void;
}

/** Chooses an image and reads it as a `data:` URL. */
export function LogoField({ value, onValue }: LogoFieldProps) {
  const id = useId();
  const [isTooLarge, setTooLarge] = useState(false);
  const read = (file: File | undefined) => {
    if (file === undefined) return onValue('');
    const reader = new FileReader();
    reader.onload = () => {
      const url = String(reader.result);
      setTooLarge(url.length > MAX_LOGO_LENGTH);
      onValue(url.length > MAX_LOGO_LENGTH ? '' : url);
    };
    reader.readAsDataURL(file);
  };
  return (
    <div class="field">
      <label for={id}>{t('Logo')}</label>
      <input
        id={id}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif,image/svg+xml"
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => read(currentTarget.files?.[0])}
      />
      <p class={isTooLarge ? 'problem' : 'hint'} id={`${id}-hint`}>
        {isTooLarge
          ? t('This image is too large. Choose one of at most 24 kB.')
          : t('An image of at most 24 kB, shown beside the title')}
      </p>
      {value !== '' && (
        <button type="button" class="small" onClick={() => onValue('')}>
          {t('Remove the logo')}
        </button>
      )}
    </div>
  );
}
