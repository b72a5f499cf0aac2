"""Countries, continents and states of the USA: they identify nobody, so they stay where places are replaced."""

from __future__ import annotations

_NAMES = """
    afghanistan, africa, alabama, alaska, albania, algeria, andorra, angola, antarctica, argentina, arizona, arkansas,
    armenia, asia, australia, austria, azerbaijan, bahrain, bangladesh, belarus, belgium, belize, benin, bolivia,
    botswana, brazil, bulgaria, burundi, california, cambodia, cameroon, canada, chad, chile, china, colombia,
    colorado, connecticut, costa rica, croatia, cuba, cyprus, czech republic, czechia, delaware, denmark, ecuador,
    egypt, el salvador, england, estonia, ethiopia, europe, fiji, finland, florida, france, gabon, georgia, germany,
    ghana, great britain, greece, guatemala, guinea, guyana, haiti, hawaii, honduras, hong kong, hungary, iceland,
    idaho, illinois, india, indiana, indonesia, iowa, iran, iraq, ireland, israel, italy, jamaica, japan, jordan,
    kansas, kazakhstan, kentucky, kenya, kuwait, kyrgyzstan, laos, latin america, latvia, lebanon, lesotho, liberia,
    libya, liechtenstein, lithuania, louisiana, luxembourg, madagascar, maine, malawi, malaysia, maldives, mali,
    malta, maryland, massachusetts, mauritania, mauritius, mexico, michigan, minnesota, mississippi, missouri,
    moldova, monaco, mongolia, montana, montenegro, morocco, mozambique, myanmar, namibia, nebraska, nepal,
    netherlands, nevada, new hampshire, new jersey, new mexico, new york, new zealand, nicaragua, niger, nigeria,
    north america, north carolina, north dakota, north korea, north macedonia, northern ireland, norway, oceania,
    ohio, oklahoma, oman, oregon, pakistan, panama, paraguay, pennsylvania, peru, philippines, poland, portugal,
    puerto rico, qatar, rhode island, romania, russia, rwanda, saudi arabia, scotland, senegal, serbia, sierra leone,
    singapore, slovakia, slovenia, somalia, south africa, south america, south carolina, south dakota, south korea,
    south sudan, spain, sri lanka, sudan, suriname, sweden, switzerland, syria, taiwan, tajikistan, tanzania,
    tennessee, texas, thailand, togo, tunisia, turkey, turkmenistan, uganda, ukraine, united arab emirates,
    united kingdom, united states, united states of america, uruguay, utah, uzbekistan, venezuela, vermont, vietnam,
    virginia, wales, washington, west virginia, wisconsin, wyoming, yemen, zambia, zimbabwe
"""
COUNTRIES = frozenset(" ".join(name.split()) for name in _NAMES.split(","))
"""In lower case."""
