import { useRef } from 'preact/hooks';
import { useUnsaved } from './unsaved.ts';

/** The edits of a form since it appeared or was saved. */
export interface Edits {
  readonly isEdited: boolean;
  /** Call it when the user submits the form. */
  readonly onSubmit: () => void;
  /** Call it for each input event of the form. */
  readonly onInput: () => void;
}

/**
 * Compares the values of a form with the saved ones. The console and the browser ask before the user leaves the form while they differ.
 *
 * @param draft the values as JSON.
 * @param isSaved changes to `true` when the submitted values have been saved. The form may change its values meanwhile, for example
 * to empty them. Only input events after `onSubmit` are new edits.
 */
export function useEdits(draft: unknown, isSaved: boolean): Edits {
  const text = JSON.stringify(draft);
  const saved = useRef(text);
  const submitted = useRef(text);
  const wasSaved = useRef(isSaved);
  const hasInput = useRef(false);
  if (isSaved && !wasSaved.current) saved.current = hasInput.current ? submitted.current : text;
  wasSaved.current = isSaved;
  const isEdited = text !== saved.current;
  useUnsaved(isEdited);
  return {
    isEdited,
    onSubmit() {
      submitted.current = text;
      hasInput.current = false;
    },
    onInput() {
      hasInput.current = true;
    },
  };
}
