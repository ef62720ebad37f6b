import { signal } from '@preact/signals';

/** Id of the run that is being renamed. */
export const renaming = signal<string | null>(null);

const MAX_CHARACTERS = 200;

export interface NameFieldProps {
  readonly name: string;
  readonly onName: (name: string) => void;
}

/** A field to rename a run. Enter, or leaving the field, applies the name; Escape or an empty name cancels. */
export function NameField({ name, onName }: NameFieldProps) {
  const end = (typed: string): void => {
    if (renaming.value === null) return; // Escape removes the field, which then loses the focus.
    renaming.value = null;
    if (typed.trim() !== '') onName(typed.trim());
  };
  return (
    <input
      class="run-name"
      aria-label="Name of the run"
      dir="auto"
      maxLength={MAX_CHARACTERS}
      defaultValue={name}
      ref={(field) => field?.select()}
      onBlur={({ currentTarget }) => end(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') end(event.currentTarget.value);
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        end('');
      }}
    />
  );
}
