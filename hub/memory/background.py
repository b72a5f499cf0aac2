"""How common a word is anyway: the document frequencies a small corpus cannot know.

Thirty cases do not tell that `file` and `because` mean nothing while `alembic` does. Every corpus is therefore counted
together with some imagined texts in which the words below occur in the stated share. Past a few thousand cases
the corpus speaks for itself. Shares are rounded estimates for English prose, command output and failure reports.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from errorhub.hub.memory.words import key, terms

WEIGHT = 1_000
"""Number of imagined texts when it is asked whether a word is telling at all (the floor)."""
UNLISTED = 0.015
"""Share of texts that hold a word which is not listed here, when it is asked whether it is telling."""
RANKING_WEIGHT = 10
"""Their number when cases are ranked: there the corpus should speak for itself as soon as it can."""

_SHARES = {
    0.70: "user assistant agent tool",
    0.40: """
        has have had you your we from which when can he she his her its our all do did does done been were would
        should could may just so than them what who how out up about any some more most other also only one two
        time use using used make made get got go going now new first here there where why because while before
        after over again each both same very too even still well already
        """,
    0.20: """
        people person man woman day days year years week month hour hours minute minutes second seconds today morning
        evening night way thing things work works working life world home house place part parts side end start begin
        began long short old young good best better great little big small large high low many much few several lot
        every another next last three four five six seven eight nine ten half three-quarters once twice always never
        often sometimes usually ever yet until since during between through under above below into onto off down away
        back near far left right top bottom middle inside outside around across along against without within want
        wants need needs needed like likes know knows known think thought say says said tell told ask asked asks
        take takes took taken give gives given gave come comes came see sees saw seen look looks looked find finds
        found keep keeps kept put puts let lets help helps try tries tried turn turns call called calls name named
        names number numbers set sets add added adds change changed changes move run runs running ran show shows
        showed shown read reads write writes written wrote open opened close closed leave leaves left stop stopped
        follow following hold bring buy pay play feel become mean means seem happen happened meet learn live stand
        lose line lines point points word words question answer case example kind type form list page pages text
        note please thank thanks sure yes ok okay hello dear whether either neither nor however therefore although
        though rather instead otherwise maybe perhaps really actually simply quite almost enough else such those
        this these both whole full own able possible available different similar important main free
        """,
    0.10: """
        water food fire air light dark sun rain wind weather summer winter spring autumn season city town country
        street road river sea mountain garden tree flower animal dog cat bird fish door window room table chair wall
        floor kitchen bed bag box paper book letter story music song film game team school student teacher family
        mother father brother sister child children friend friends group company business job money price cost market
        store shop car train bus ticket trip travel visit visited stay walk drive arrive head hand eye face body heart
        mind voice health doctor red blue green white black yellow color colour hot cold warm cool fresh dry clean
        beautiful fine nice happy hard easy simple early late soon quick fast slow deep wide round single double
        together ready common certain clear general public local national early million thousand hundred percent
        area size shape piece row bar cup foot feet metre meter mile kilometre degree north south east west history
        war law art science nature reason idea fact rule rules plan plans result results order level step steps
        choose decide explain compare describe remember understand build cut draw eat drink cook grow plant fall rise
        rest send sent receive pass reach join share shared save spend sell carry catch throw wear wait watch listen
        speak talk sing dance sleep sit lie cover fill mix press pull push raise remove return returned returns serve
        allow allowed expect expected include includes including contain contains provide provides create created
        replace increase reduce continue appear produce require required requires consider based depend according per
        total average amount rate date current recent recently past future present
        """,
    0.30: """
        file files error errors system message content output input code exit command bash
        python data true false null none json text id ok info traceback recent call most module
        """,
    0.12: """
        function method class object string value values key argument arguments parameter parameters default return
        import package version path directory folder src lib usr bin home tmp var local main init py js ts md txt log
        logs debug warning warn stdout stderr print test tests passed failed fail fails failure success successfully
        unexpected invalid missing unknown exception raise raised cannot unable found existing exists exist check
        checking checked verify update updated install installed installing build running process server request
        response http https www com org status api url web search query result results git commit branch repository
        repo project environment config configuration option options script shell terminal task tasks run completed
        complete finished create edit copy delete total bytes kb mb ms sec line column col row rows count index length
        size type types node npm pip std err int str float bool list dict array tuple self args kwargs def const let
        var async await import export require model prompt token tokens session context response step action
        observation thought final answer information provide provided details let's look next execute executed
        execution solution problem issue issues fix fixed correct correctly incorrect wrong
        """,
    0.05: """
        instead without should failed failing mistake assumed assumption ignored misread wrongly incomplete
        verification verified validate validated expert orchestrator planner executor reviewer coder researcher
        attempt attempted retry retries again repeated repeatedly loop stuck timeout timed permission denied connection
        refused access accessed database table schema field column record records document documents website site link
        click clicked browser download upload image video account customer email address phone product item items
        report analysis calculate calculation computed formula spreadsheet sheet plan planning instruction instructions
        requirement requirements constraint constraints specified specific proper properly necessary actual actually
        relevant irrelevant original source sources reference conclusion conclude reasoning logic approach strategy
        handle handled handling edge parse parsing format formatted syntax attribute attributeerror keyerror valueerror
        typeerror filenotfounderror modulenotfounderror importerror indexerror runtimeerror syntaxerror nameerror
        oserror assertionerror assert null undefined reference stack trace warning deprecated
        """,
    0.35: """
        der die das und ist nicht ein eine mit von zu den auf für im dem des als auch es werden wird sich
        le la les de des et est pas un une du pour dans que qui sur avec ce il elle sont au aux plus
        el los las en por con para una como se su al lo más pero sus este ya muy
        и в не на что с по это как он она они но из за то все его для от был
        我们 一个 没有 可以 这个 他们 什么 因为 所以 但是 如果 自己 就是 时候 现在 知道
        使用 需要 进行 已经 还是 不是 这样 那么
        です ます した して いる ない から こと よう ため まし てい った する れる あり なり さん ませ たら
        있다 없다 하는 합니 니다 에서 으로 하고 했다 것은 그리 그러 하지 입니 습니
    """,
}


@cache
def shares() -> MappingProxyType[int, float]:
    """Return key of a term -> share of texts that hold it; the largest share a term is listed under."""
    found: dict[int, float] = {}
    for share, words in _SHARES.items():
        for term in map(key, terms(words)):
            found[term] = max(found.get(term, 0.0), share)
    return MappingProxyType(found)
