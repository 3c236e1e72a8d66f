import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction, ModifiableInstruction } from 'dockerfile-ast';
import { ROOT } from './files.ts';

/** An instruction of the Dockerfile. Continuation lines are joined. */
export interface Step {
  readonly keyword: string;
  /** The text after the keyword and its flags. */
  readonly text: string;
  /** Flags in the form `--name=value`, in order. */
  readonly flags: readonly string[];
}

/** The instructions from one `FROM` to the next. */
export interface Stage {
  readonly name: string;
  readonly image: string;
  readonly steps: readonly Step[];
}

/** Returns the stages of the Dockerfile in order. The last stage is the image. */
export function readStages(): Stage[] {
  const file = DockerfileParser.parse(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const stages: { name: string; image: string; steps: Step[] }[] = [];
  for (const instruction of file.getInstructions()) {
    const step = stepOf(instruction);
    const [image = '', , name = 'image'] = step.text.split(/\s+/);
    if (step.keyword === 'FROM') stages.push({ name, image, steps: [] });
    else stages.at(-1)?.steps.push(step);
  }
  return stages;
}

function stepOf(instruction: Instruction): Step {
  const flags = instruction instanceof ModifiableInstruction ? instruction.getFlags() : [];
  const text = (instruction.getRawArgumentsContent() ?? '')
    .replaceAll(/^\s*#.*$/gm, '')
    .replaceAll(/\\\s*\n\s*/g, ' ')
    .trim();
  return { keyword: instruction.getKeyword(), text, flags: flags.map(String) };
}

/** Returns the instructions of a stage that have the given keyword. */
export function stepsOf(stage: Stage, keyword: string): Step[] {
  return stage.steps.filter((step) => step.keyword === keyword);
}

/** Returns the environment variables of a stage. */
export function environmentOf(stage: Stage): Record<string, string> {
  const pairs = stepsOf(stage, 'ENV').flatMap(({ text }) => text.split(/\s+/));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}
