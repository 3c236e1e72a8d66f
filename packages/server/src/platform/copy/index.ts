export {
  COPY_FACT,
  CopyDiffers,
  CopyRefused,
  type CopyStep,
  copy,
  isUnfinished,
} from './copy.service.ts';
