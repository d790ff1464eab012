<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>KernelFacts</name>
    <message>
        <source>shared</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>%1 blocks of %2 threads</source>
        <translation>%1 个线程块，每块 %2 个线程</translation>
    </message>
</context>
<context>
    <name>KernelFilter</name>
    <message>
        <source>&quot;%1&quot; has nothing to compare with</source>
        <translation>“%1”缺少比较值</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a number</source>
        <translation>“%1”不是数字</translation>
    </message>
    <message>
        <source>write for example %1</source>
        <translation>写法示例：%1</translation>
    </message>
    <message>
        <source>&quot;%1&quot; cannot be compared with &quot;%2&quot;</source>
        <translation>“%1”不能与“%2”比较</translation>
    </message>
    <message>
        <source>use ns, us, ms or s</source>
        <translation>请使用 ns、us、ms 或 s</translation>
    </message>
    <message>
        <source>use a share such as 60% or a rate such as 2TB/s</source>
        <translation>请使用 60% 这样的占比，或 2TB/s 这样的速率</translation>
    </message>
    <message>
        <source>use 50% or 0.5</source>
        <translation>请写 50% 或 0.5</translation>
    </message>
    <message>
        <source>use a plain number</source>
        <translation>请使用不带单位的数字</translation>
    </message>
    <message>
        <source>&quot;verdict&quot; has nothing to compare with</source>
        <translation>“verdict”缺少比较值</translation>
    </message>
    <message>
        <source>write for example verdict = memory-bound</source>
        <translation>写法示例：verdict = memory-bound</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a field</source>
        <translation>“%1”不是字段</translation>
    </message>
    <message>
        <source>fields are %1</source>
        <translation>字段有：%1</translation>
    </message>
</context>
<context>
    <name>NumberText</name>
    <message>
        <source>not measured, missing: %1</source>
        <translation>未测量，缺少：%1</translation>
    </message>
    <message>
        <source>not applicable</source>
        <translation>不适用</translation>
    </message>
    <message>
        <source>not applicable (%1)</source>
        <translation>不适用（%1）</translation>
    </message>
</context>
<context>
    <name>RooflineTooltip</name>
    <message>
        <source>Intensity at %1</source>
        <translation>算术强度（%1）</translation>
    </message>
    <message>
        <source>%1 rate</source>
        <translation>%1 速率</translation>
    </message>
    <message>
        <source>%1 bandwidth</source>
        <translation>带宽（%1）</translation>
    </message>
    <message>
        <source>of its roof</source>
        <translation>占其屋顶</translation>
    </message>
    <message>
        <source>Total time</source>
        <translation>总耗时</translation>
    </message>
    <message>
        <source>Share of GPU time</source>
        <translation>占 GPU 时间</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::CounterTableModel</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 was not measured for this kernel</source>
        <translation>此内核未测量 %1</translation>
    </message>
    <message>
        <source>Median over the launches of this kernel</source>
        <translation>此内核各次启动的中位数</translation>
    </message>
    <message>
        <source>Counter</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>Launches measured</source>
        <translation>已测启动</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::DetailsView</name>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Search counters</source>
        <translation>搜索计数器</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Launch and occupancy</source>
        <translation>启动与占用率</translation>
    </message>
    <message>
        <source>Recording issues</source>
        <translation>录制问题</translation>
    </message>
    <message>
        <source>Recording issues (%1)</source>
        <translation>录制问题（%1）</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::EmptyView</name>
    <message>
        <source>Open a profile to see what limits your kernels</source>
        <translation>打开剖析文件，看看内核受限于什么</translation>
    </message>
    <message>
        <source>Open profile…</source>
        <translation>打开剖析文件…</translation>
    </message>
    <message>
        <source>Command that records a profile</source>
        <translation>录制剖析文件的命令</translation>
    </message>
    <message>
        <source>or drop a .roofscope.json file here</source>
        <translation>或将 .roofscope.json 文件拖放到此处</translation>
    </message>
    <message>
        <source>Record one on a machine with an NVIDIA GPU; no GPU is needed here:</source>
        <translation>请在装有 NVIDIA GPU 的机器上录制；本机不需要 GPU：</translation>
    </message>
    <message>
        <source>Recent profiles</source>
        <translation>最近的剖析文件</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::HintsView</name>
    <message>
        <source>Hint report</source>
        <translation>优化提示报告</translation>
    </message>
    <message>
        <source>Select a kernel to see what limits it.</source>
        <translation>选择一个内核，查看它受限于什么。</translation>
    </message>
    <message>
        <source>Copy for assistant</source>
        <translation>复制给 AI 助手</translation>
    </message>
    <message>
        <source>Copies this report as markdown, ready to be pasted into an assistant</source>
        <translation>以 Markdown 复制此报告，可直接粘贴给 AI 助手</translation>
    </message>
    <message>
        <source>Copy JSON</source>
        <translation>复制 JSON</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Hints</source>
        <translation>优化提示</translation>
    </message>
    <message>
        <source>Since the baseline</source>
        <translation>与基线相比</translation>
    </message>
    <message>
        <source>Hints or comparison</source>
        <translation>优化提示或比较</translation>
    </message>
    <message>
        <source>The two compared</source>
        <translation>两者比较</translation>
    </message>
    <message>
        <source>Copy for assistant · ≈ %1 tokens</source>
        <translation>复制给 AI 助手 · ≈ %1 token</translation>
    </message>
    <message>
        <source>Copied the report: about %1 tokens</source>
        <translation>已复制报告：约 %1 个 token</translation>
    </message>
    <message>
        <source>Copied the comparison as JSON</source>
        <translation>已将比较结果复制为 JSON</translation>
    </message>
    <message>
        <source>Copied the kernel&apos;s findings as JSON</source>
        <translation>已将此内核的发现复制为 JSON</translation>
    </message>
    <message>
        <source>Save report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>Markdown (*.md);;All files (*)</source>
        <translation>Markdown (*.md);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::IssueModel</name>
    <message>
        <source>Info</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Data loss</source>
        <translation>数据丢失</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>严重程度</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>如何处理</translation>
    </message>
    <message>
        <source>Reported by</source>
        <translation>来源</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::KernelTableModel</name>
    <message>
        <source>NVTX range: %1</source>
        <translation>NVTX 区间：%1</translation>
    </message>
    <message>
        <source>Launches with this kernel, device, launch shape and NVTX range</source>
        <translation>内核、设备、启动形状和 NVTX 区间均相同的启动次数</translation>
    </message>
    <message>
        <source>No duration was measured</source>
        <translation>未测量耗时</translation>
    </message>
    <message>
        <source>%1 per launch (median of %2, %3 to %4), %5</source>
        <translation>每次启动 %1（%2 次的中位数，%3 至 %4），%5</translation>
    </message>
    <message>
        <source>from the timing run</source>
        <translation>来自计时运行</translation>
    </message>
    <message>
        <source>from the counter run</source>
        <translation>来自计数器运行</translation>
    </message>
    <message>
        <source>Share of all measured GPU time</source>
        <translation>占全部实测 GPU 时间</translation>
    </message>
    <message>
        <source>Achieved DRAM bandwidth</source>
        <translation>实际 DRAM 带宽</translation>
    </message>
    <message>
        <source>Share of the theoretical roof</source>
        <translation>占理论屋顶的比例</translation>
    </message>
    <message>
        <source>Operations per byte moved to and from DRAM, in the precision with the most operations</source>
        <translation>每搬运一字节 DRAM 数据所做的运算，取运算最多的精度</translation>
    </message>
    <message>
        <source>Global loads</source>
        <translation>全局加载</translation>
    </message>
    <message>
        <source>Global stores</source>
        <translation>全局存储</translation>
    </message>
    <message>
        <source>Bytes requested per byte moved; the lower one is shown. Low is no fault when all threads of a warp read the same address.</source>
        <translation>请求字节数与搬运字节数之比，显示两者中较低的一个。若线程束的所有线程读取同一地址，数值低并非问题。</translation>
    </message>
    <message>
        <source>Shared-memory wavefronts beyond the ideal, certain</source>
        <translation>超出理想值的共享内存波前，确定部分</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>至多</translation>
    </message>
    <message>
        <source>Achieved occupancy</source>
        <translation>实际占用率</translation>
    </message>
    <message>
        <source>Theoretical occupancy</source>
        <translation>理论占用率</translation>
    </message>
    <message>
        <source>(no NVTX range)</source>
        <translation>（无 NVTX 区间）</translation>
    </message>
    <message>
        <source>The baseline has no such kernel</source>
        <translation>基线没有这个内核</translation>
    </message>
    <message>
        <source>new</source>
        <translation>新增</translation>
    </message>
    <message>
        <source>nothing beyond noise</source>
        <translation>无超出噪声的变化</translation>
    </message>
    <message>
        <source>from %1
to %2</source>
        <translation>从 %1
到 %2</translation>
    </message>
    <message>
        <source>Compared with %1 (%2)</source>
        <translation>比较对象：%1（%2）</translation>
    </message>
    <message>
        <source>Duration per launch against the baseline; grey is not beyond noise</source>
        <translation>每次启动的耗时与基线相比；灰色表示未超出噪声</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>启动次数</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>总耗时</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>DRAM</source>
        <translation>DRAM</translation>
    </message>
    <message>
        <source>Intensity</source>
        <translation>算术强度</translation>
    </message>
    <message>
        <source>Coalescing</source>
        <translation>合并访问</translation>
    </message>
    <message>
        <source>Conflict</source>
        <translation>存储体冲突</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>占用率</translation>
    </message>
    <message>
        <source>Since baseline</source>
        <translation>与基线相比</translation>
    </message>
    <message>
        <source>Counters that moved</source>
        <translation>变化的计数器</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2 — %3</source>
        <translation>%1：%2 — %3</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::KernelTableView</name>
    <message>
        <source>Filter: name, bw &gt; 60%, conflict &gt; 0.1</source>
        <translation>过滤：名称、bw &gt; 60%、conflict &gt; 0.1</translation>
    </message>
    <message>
        <source>Kernel filter</source>
        <translation>内核过滤</translation>
    </message>
    <message>
        <source>Words are searched in name and NVTX range; comparisons must all hold.
Fields: %1
bw &gt; 60%   bw &gt; 2TB/s   conflict &gt; 0.1   occupancy &lt; 50%
time &gt; 100us   verdict = memory-bound</source>
        <translation>在名称和 NVTX 区间中查找各词；所有比较都必须成立。
字段：%1
bw &gt; 60%   bw &gt; 2TB/s   conflict &gt; 0.1   occupancy &lt; 50%
time &gt; 100us   verdict = memory-bound</translation>
    </message>
    <message>
        <source>Group kernels</source>
        <translation>内核分组</translation>
    </message>
    <message>
        <source>Puts kernels together: by name, by NVTX range or by stream</source>
        <translation>将内核分组：按名称、按 NVTX 区间或按流</translation>
    </message>
    <message>
        <source>No groups</source>
        <translation>不分组</translation>
    </message>
    <message>
        <source>By name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>By range</source>
        <translation>按区间</translation>
    </message>
    <message>
        <source>By stream</source>
        <translation>按流</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Compared with %1</source>
        <translation>与 %1 比较</translation>
    </message>
    <message>
        <source>%1 of its kernels is not here</source>
        <translation>其中 %1 个内核此处没有</translation>
    </message>
    <message>
        <source>%1 of its kernels are not here</source>
        <translation>其中 %1 个内核此处没有</translation>
    </message>
    <message>
        <source>Only in the baseline:</source>
        <translation>仅在基线中：</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>%1 of %2 kernels</source>
        <translation>%1 / %2 个内核</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::MainWindow</name>
    <message>
        <source>About roofscope</source>
        <translation>关于 roofscope</translation>
    </message>
    <message>
        <source>&lt;h3&gt;roofscope %1&lt;/h3&gt;&lt;p&gt;Profiling reports and rooflines for CUDA kernels.&lt;/p&gt;&lt;p&gt;Apache License 2.0&lt;/p&gt;&lt;p&gt;Qt %2&lt;/p&gt;</source>
        <translation>&lt;h3&gt;roofscope %1&lt;/h3&gt;&lt;p&gt;CUDA 内核的剖析报告与屋顶线。&lt;/p&gt;&lt;p&gt;Apache 许可证 2.0&lt;/p&gt;&lt;p&gt;Qt %2&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Mouse, keys and filters</source>
        <translation>鼠标、按键与过滤</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Roofline&lt;/h3&gt;&lt;table&gt;&lt;tr&gt;&lt;td&gt;hover&amp;nbsp;&amp;nbsp;&lt;/td&gt;&lt;td&gt;numbers of a dot&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;click&lt;/td&gt;&lt;td&gt;select the kernel everywhere&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;wheel, + and −&lt;/td&gt;&lt;td&gt;zoom&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;drag, arrow keys&lt;/td&gt;&lt;td&gt;pan&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;double-click, 0&lt;/td&gt;&lt;td&gt;show everything&lt;/td&gt;&lt;/tr&gt;&lt;/table&gt;&lt;h3&gt;Kernel filter&lt;/h3&gt;&lt;p&gt;Words are searched in names and NVTX ranges. Comparisons must all hold:&lt;/p&gt;&lt;p&gt;&lt;code&gt;bw &amp;gt; 60%&lt;/code&gt;&lt;br&gt;&lt;code&gt;bw &amp;gt; 2TB/s&lt;/code&gt;&lt;br&gt;&lt;code&gt;conflict &amp;gt; 0.1&lt;/code&gt;&lt;br&gt;&lt;code&gt;occupancy &amp;lt; 50%&lt;/code&gt;&lt;br&gt;&lt;code&gt;time &amp;gt; 100us&lt;/code&gt;&lt;br&gt;&lt;code&gt;verdict = memory-bound&lt;/code&gt;&lt;/p&gt;&lt;p&gt;Fields: %1&lt;/p&gt;</source>
        <translation>&lt;h3&gt;屋顶线&lt;/h3&gt;&lt;table&gt;&lt;tr&gt;&lt;td&gt;悬停&amp;nbsp;&amp;nbsp;&lt;/td&gt;&lt;td&gt;显示点的数值&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;单击&lt;/td&gt;&lt;td&gt;在各处选中该内核&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;滚轮、+ 和 −&amp;nbsp;&amp;nbsp;&lt;/td&gt;&lt;td&gt;缩放&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;拖动、方向键&lt;/td&gt;&lt;td&gt;平移&lt;/td&gt;&lt;/tr&gt;&lt;tr&gt;&lt;td&gt;双击、0&lt;/td&gt;&lt;td&gt;显示全部&lt;/td&gt;&lt;/tr&gt;&lt;/table&gt;&lt;h3&gt;内核过滤&lt;/h3&gt;&lt;p&gt;在名称和 NVTX 区间中查找各词。所有比较都必须成立：&lt;/p&gt;&lt;p&gt;&lt;code&gt;bw &amp;gt; 60%&lt;/code&gt;&lt;br&gt;&lt;code&gt;bw &amp;gt; 2TB/s&lt;/code&gt;&lt;br&gt;&lt;code&gt;conflict &amp;gt; 0.1&lt;/code&gt;&lt;br&gt;&lt;code&gt;occupancy &amp;lt; 50%&lt;/code&gt;&lt;br&gt;&lt;code&gt;time &amp;gt; 100us&lt;/code&gt;&lt;br&gt;&lt;code&gt;verdict = memory-bound&lt;/code&gt;&lt;/p&gt;&lt;p&gt;字段：%1&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>Hints</source>
        <translation>优化提示</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Open profiles</source>
        <translation>打开剖析文件</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>The profile that others are compared with (Ctrl+B)</source>
        <translation>供其他剖析文件比较的基线（Ctrl+B）</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open &amp;Recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>Re&amp;load</source>
        <translation>重新加载(&amp;L)</translation>
    </message>
    <message>
        <source>Use as &amp;Baseline</source>
        <translation>用作基线(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Close Profile</source>
        <translation>关闭剖析文件(&amp;C)</translation>
    </message>
    <message>
        <source>Export &amp;Plot</source>
        <translation>导出图(&amp;P)</translation>
    </message>
    <message>
        <source>As &amp;SVG…</source>
        <translation>导出为 &amp;SVG…</translation>
    </message>
    <message>
        <source>Export plot</source>
        <translation>导出图</translation>
    </message>
    <message>
        <source>SVG picture (*.svg)</source>
        <translation>SVG 图片 (*.svg)</translation>
    </message>
    <message>
        <source>As &amp;PNG…</source>
        <translation>导出为 &amp;PNG…</translation>
    </message>
    <message>
        <source>PNG picture (*.png)</source>
        <translation>PNG 图片 (*.png)</translation>
    </message>
    <message>
        <source>As P&amp;DF…</source>
        <translation>导出为 P&amp;DF…</translation>
    </message>
    <message>
        <source>PDF document (*.pdf)</source>
        <translation>PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>Export &amp;Table as CSV…</source>
        <translation>将表格导出为 CSV(&amp;T)…</translation>
    </message>
    <message>
        <source>Export table</source>
        <translation>导出表格</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>逗号分隔值 (*.csv)</translation>
    </message>
    <message>
        <source>Export Report as &amp;Markdown…</source>
        <translation>将报告导出为 &amp;Markdown…</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Copy Hints for Assistant</source>
        <translation>将优化提示复制给 AI 助手(&amp;C)</translation>
    </message>
    <message>
        <source>Copy Hints as &amp;JSON</source>
        <translation>将优化提示复制为 &amp;JSON</translation>
    </message>
    <message>
        <source>&amp;Save Hints…</source>
        <translation>保存优化提示(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Filter Kernels</source>
        <translation>过滤内核(&amp;F)</translation>
    </message>
    <message>
        <source>Search C&amp;ounters</source>
        <translation>搜索计数器(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Next Kernel</source>
        <translation>下一个内核(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Previous Kernel</source>
        <translation>上一个内核(&amp;P)</translation>
    </message>
    <message>
        <source>Compare the &amp;Two</source>
        <translation>比较两者(&amp;T)</translation>
    </message>
    <message>
        <source>Two selected kernels: the current one against the other</source>
        <translation>选中的两个内核：当前内核与另一个比较</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Levels</source>
        <translation>存储层级(&amp;L)</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>Show dots and roof of %1 (%2)</source>
        <translation>显示点和屋顶：%1（%2）</translation>
    </message>
    <message>
        <source>&amp;Precisions</source>
        <translation>精度(&amp;P)</translation>
    </message>
    <message>
        <source>FP</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Which precisions are shown: dots and roofs</source>
        <translation>显示哪些精度的点和屋顶</translation>
    </message>
    <message>
        <source>Precisions</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>L2 and L1 as &amp;Nsight Compute Counts</source>
        <translation>按 &amp;Nsight Compute 的方式计 L2 和 L1</translation>
    </message>
    <message>
        <source>&amp;Columns</source>
        <translation>列(&amp;C)</translation>
    </message>
    <message>
        <source>Kernel L&amp;abels</source>
        <translation>内核标签(&amp;A)</translation>
    </message>
    <message>
        <source>Zoom &amp;In</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;Out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>Show &amp;Everything</source>
        <translation>显示全部(&amp;E)</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适应</translation>
    </message>
    <message>
        <source>Show everything (Ctrl+0 or double-click)</source>
        <translation>显示全部（Ctrl+0 或双击）</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>&amp;Kernels Pane</source>
        <translation>内核窗格(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Hints Pane</source>
        <translation>优化提示窗格(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Details Pane</source>
        <translation>详情窗格(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Mouse, Keys and Filters</source>
        <translation>鼠标、按键与过滤(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;About roofscope</source>
        <translation>关于 roofscope(&amp;A)</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>Analysing %1…</source>
        <translation>正在分析 %1…</translation>
    </message>
    <message>
        <source>Cancelled loading %1</source>
        <translation>已取消加载 %1</translation>
    </message>
    <message>
        <source>Reloaded %1</source>
        <translation>已重新加载 %1</translation>
    </message>
    <message>
        <source>The file changed but cannot be read; what was loaded at %1 stays open. %2</source>
        <translation>文件已改变但无法读取；%1 加载的内容保持打开。%2</translation>
    </message>
    <message>
        <source>Comparing with the baseline…</source>
        <translation>正在与基线比较…</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 (baseline)</source>
        <translation>%1（基线）</translation>
    </message>
    <message>
        <source>(is the baseline)</source>
        <translation>（即基线）</translation>
    </message>
    <message>
        <source>GPU %1: %2</source>
        <translation>GPU %1：%2</translation>
    </message>
    <message>
        <source>%1 kernel</source>
        <translation>%1 个内核</translation>
    </message>
    <message>
        <source>%1 kernels</source>
        <translation>%1 个内核</translation>
    </message>
    <message>
        <source>%1 launch</source>
        <translation>%1 次启动</translation>
    </message>
    <message>
        <source>%1 launches</source>
        <translation>%1 次启动</translation>
    </message>
    <message>
        <source>%1 pass</source>
        <translation>%1 遍</translation>
    </message>
    <message>
        <source>%1 passes</source>
        <translation>%1 遍</translation>
    </message>
    <message>
        <source>recorded %1</source>
        <translation>录制于 %1</translation>
    </message>
    <message>
        <source>%1, not measured</source>
        <translation>%1，并非测量所得</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Profiles (*.roofscope.json *.roofscope.json.gz);;All files (*)</source>
        <translation>剖析文件 (*.roofscope.json *.roofscope.json.gz);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation>已写入 %1</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::MessageBar</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Dismiss message</source>
        <translation>关闭消息</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::ProgressLine</name>
    <message>
        <source>Loading</source>
        <translation>正在加载</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::PropertyModel</name>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>NVTX range</source>
        <translation>NVTX 区间</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>%1, %2 SMs</source>
        <translation>%1，%2 个 SM</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>启动次数</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>timing run, without counters</source>
        <translation>计时运行，不带计数器</translation>
    </message>
    <message>
        <source>counter run</source>
        <translation>计数器运行</translation>
    </message>
    <message>
        <source>Per launch, median</source>
        <translation>每次启动，中位数</translation>
    </message>
    <message>
        <source>Per launch, shortest to longest</source>
        <translation>每次启动，最短至最长</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>no duration was measured</source>
        <translation>未测量耗时</translation>
    </message>
    <message>
        <source>Share of GPU time</source>
        <translation>占 GPU 时间</translation>
    </message>
    <message>
        <source>Headroom to the attainable roof</source>
        <translation>距可达屋顶的余量</translation>
    </message>
    <message>
        <source>Launch and resources</source>
        <translation>启动与资源</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>%1 block</source>
        <translation>%1 个线程块</translation>
    </message>
    <message>
        <source>%1 blocks</source>
        <translation>%1 个线程块</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>线程块</translation>
    </message>
    <message>
        <source>%1 thread</source>
        <translation>%1 个线程</translation>
    </message>
    <message>
        <source>%1 threads</source>
        <translation>%1 个线程</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>线程块簇</translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation>每线程寄存器</translation>
    </message>
    <message>
        <source>Static shared memory per block</source>
        <translation>每线程块静态共享内存</translation>
    </message>
    <message>
        <source>Dynamic shared memory per block</source>
        <translation>每线程块动态共享内存</translation>
    </message>
    <message>
        <source>Local memory per thread</source>
        <translation>每线程本地内存</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>占用率</translation>
    </message>
    <message>
        <source>Resident blocks per SM</source>
        <translation>每 SM 驻留线程块</translation>
    </message>
    <message>
        <source>Theoretical occupancy</source>
        <translation>理论占用率</translation>
    </message>
    <message>
        <source>Achieved occupancy</source>
        <translation>实际占用率</translation>
    </message>
    <message>
        <source>Limited by</source>
        <translation>受限于</translation>
    </message>
    <message>
        <source>Waves</source>
        <translation>波次数</translation>
    </message>
    <message>
        <source>Wave efficiency</source>
        <translation>波次效率</translation>
    </message>
    <message>
        <source>Memory, per launch</source>
        <translation>访存，每次启动</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>字节数（%1）</translation>
    </message>
    <message>
        <source>%1 bandwidth</source>
        <translation>带宽（%1）</translation>
    </message>
    <message>
        <source>%1 bandwidth, of the roof</source>
        <translation>带宽占屋顶（%1）</translation>
    </message>
    <message>
        <source>Coalescing of global loads</source>
        <translation>全局加载的合并访问</translation>
    </message>
    <message>
        <source>Coalescing of global stores</source>
        <translation>全局存储的合并访问</translation>
    </message>
    <message>
        <source>Excess shared wavefronts, certain</source>
        <translation>多余共享内存波前，确定</translation>
    </message>
    <message>
        <source>Excess shared wavefronts, at most</source>
        <translation>多余共享内存波前，至多</translation>
    </message>
    <message>
        <source>Arithmetic, per launch</source>
        <translation>运算，每次启动</translation>
    </message>
    <message>
        <source>%1 operations</source>
        <translation>%1 运算数</translation>
    </message>
    <message>
        <source>%1 rate</source>
        <translation>%1 速率</translation>
    </message>
    <message>
        <source>%1 rate, of the roof</source>
        <translation>%1 速率，占屋顶</translation>
    </message>
    <message>
        <source>Tensor pipe utilisation</source>
        <translation>张量流水线利用率</translation>
    </message>
    <message>
        <source>Issue slots in use</source>
        <translation>指令发射槽利用率</translation>
    </message>
    <message>
        <source>Active lanes</source>
        <translation>活跃线程占比</translation>
    </message>
    <message>
        <source>Clocks</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>SM clock</source>
        <translation>SM 频率</translation>
    </message>
    <message>
        <source>DRAM clock</source>
        <translation>DRAM 频率</translation>
    </message>
    <message>
        <source>Property</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>How it was obtained</source>
        <translation>如何得到</translation>
    </message>
</context>
<context>
    <name>roofscope::gui::RooflineView</name>
    <message>
        <source>Roofline plot</source>
        <translation>屋顶线图</translation>
    </message>
    <message>
        <source>Arithmetic intensity against rate of every kernel. Arrow keys pan, plus and minus zoom, zero shows everything. The kernel table holds the same numbers.</source>
        <translation>各内核的算术强度与速率。方向键平移，加减键缩放，0 键显示全部。内核表中有同样的数字。</translation>
    </message>
    <message>
        <source>No kernel matches the filter</source>
        <translation>没有内核符合过滤条件</translation>
    </message>
</context>
</TS>
