#include "tests/views/code/listings.h"

namespace nw::test {

// The control flow of the tiled product, in whichever function it stands.
static const std::string kNest = R"(entry:
  br label %loop

loop:                                             ; preds = %after332, %entry
  br label %next

loop2:                                            ; preds = %after331, %loop
  br label %next

loop4:                                            ; preds = %endif, %loop2
  br label %next

else:                                             ; preds = %loop4
  br label %next

endif:                                            ; preds = %after330, %else, %after
  br label %next

loop6:                                            ; preds = %loop4, %loop6
  %33 = call <8 x float> @llvm.fma.v8f32(<8 x float> %.splat, <8 x float> %32, <8 x float> %31)
  br label %next

after:                                            ; preds = %loop6
  br label %next

loop201:                                          ; preds = %else, %loop201
  br label %next

after330:                                         ; preds = %loop201
  br label %next

after331:                                         ; preds = %endif
  br label %next

after332:                                         ; preds = %after331
  br label %next

after333:                                         ; preds = %after332
  br label %next
}
)";

std::string nestText()
{
    return R"(mb in 0..15
  no in 0..64
    mo in 0..12 (tail) with matmul.reg f32[6, 16] in registers
      k in 0..1024
        unrolled mi in 0..6 (tail)
          matmul: matmul.reg[mi] += A[mb * 72 + mo * 6 + mi, k] * B[k, no] if mb * 72 + mo * 6 + mi < 1024
)";
}

std::string loweredText()
{
    return R"(port A f32 [1048576]
registers matmul.reg f32 [96]
for mb in 0..15
  for no in 0..64
    for mo in 0..12
      with matmul.reg
        if mb * 12 + mo < 170
          unrolled mi.init in 0..6
            matmul.reg[mi.init * 16] = 0.0
          for k in 0..1024
            unrolled mi in 0..6
              matmul.reg[mi * 16] += A[mb * 73728 + k] * B[k]
        else
          for k in 0..1024
            unrolled mi in 0..6
              matmul.reg[mi * 16] += A[mi * 1024 + k] * B[k]
)";
}

std::string llvmText()
{
    return R"(; ModuleID = 'kernel_0'

define protected void @kernel_0(ptr %0, ptr %1) #0 {
entry:
  ret void
}

define internal void @kernel_0.body(ptr noalias readonly %0, i64 %4) #0 {
)" + kNest;
}

std::string assemblyText()
{
    return R"(	.file	"kernel_0"
	.text
kernel_0.body:                          # @kernel_0.body
# %bb.0:                                # %entry
	pushq	%rbp
	movq	%rsi, (%rsp)                    # 8-byte Spill
.LBB1_1:                                # %loop
                                        # =>This Loop Header: Depth=1
                                        #     Child Loop BB1_2 Depth 2
	movq	%rax, 16(%rsp)                  # 8-byte Spill
.LBB1_2:                                # %loop2
                                        #   Parent Loop BB1_1 Depth=1
                                        # =>  This Loop Header: Depth=2
	xorl	%eax, %eax
.LBB1_3:                                # %loop4
	cmpq	$169, %rax
# %bb.4:                                #   in Loop: Header=BB1_3 Depth=3
	vxorps	%xmm3, %xmm3, %xmm3
.LBB1_5:                                # %loop6
	vbroadcastss	(%r12), %ymm13
	vfmadd231ps	%ymm13, %ymm14, %ymm0
	jne	.LBB1_5
.LBB1_6:                                # %after333
	retq
.Lfunc_end1:
	.size	kernel_0.body, .Lfunc_end1-kernel_0.body
)";
}

std::string parallelLowered()
{
    return R"(port A f32 [1048576]
registers matmul.reg f32 [96]
parallel mb in 0..15
  for no in 0..64
    for mo in 0..12
      with matmul.reg
        if mb * 12 + mo < 170
          unrolled mi.init in 0..6
            matmul.reg[mi.init * 16] = 0.0
          for k in 0..1024
            unrolled mi in 0..6
              matmul.reg[mi * 16] += A[mb * 73728 + k] * B[k]
        else
          for k in 0..1024
            unrolled mi in 0..6
              matmul.reg[mi * 16] += A[mi * 1024 + k] * B[k]
)";
}

std::string parallelLlvm()
{
    return R"(; ModuleID = 'kernel_0'

define internal void @kernel_0.body(ptr %0, i64 %4) #0 {
entry:
  br i1 %6, label %then, label %else

then:                                             ; preds = %entry
  ret void
}

define internal void @kernel_0.task0(ptr noalias readonly %0, i64 %4) #0 {
)" + kNest;
}

} // namespace nw::test
