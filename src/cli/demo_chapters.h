#pragma once

#include "base/result.h"
#include "cli/demo_stage.h"
#include "cli/demo_text.h"

namespace braid {

/// The parts of the demo's story, each going on where the one before ended. The current folder has `pages`, a file for
/// each page (the misspelt one too), `corrected` with the page that `misspelt` is a copy of, and an empty `incoming`.

/// A catalog that records lineage, a batch job, what its results were made from, and how to check one of them.
Status TellBatchPart(DemoStage& stage, const DemoText& text);
/// Two jobs that follow files, the lineage of their checkpoints, and a check of one. Leaves both jobs at work.
Status TellStreamingPart(DemoStage& stage);
/// A bad file, found by lineage, corrected on branches that take main's place. Leaves both jobs at work.
Status TellCorrectionPart(DemoStage& stage, const DemoText& text);

}  // namespace braid
