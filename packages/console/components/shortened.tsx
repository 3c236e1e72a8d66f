/** Names that other systems choose may be megabytes long. A list and an address contain only their beginning. */
const MAX_LENGTH = 300;

/** Returns the beginning of a text, which identifies it in a list and in an address. */
export function shortened(text: string): string {
  return text.slice(0, MAX_LENGTH);
}

/** Reports whether a shortened text may be incomplete. */
export function isShortened(text: string): boolean {
  return text.length >= MAX_LENGTH;
}

/** Shows the beginning of a type, a source or a subject. Its lines preferably end after dots, slashes and colons. */
export function AttributeText({ text }: { readonly text: string }) {
  const parts = shortened(text).split(/(?<=[./:])(?![./:])/);
  return (
    <bdi>
      {parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]))}
      {isShortened(text) && '…'}
    </bdi>
  );
}
